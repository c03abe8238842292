"""Attention Lab. Start it with `streamlit run app.py`."""

import gc
import os

# One visitor's products shall not take the cores of all others, and small ones are slower on
# several. NumPy reads this when it is loaded, which is below.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from attention_ui.classroom.routes import serve_classes
from attention_ui.frame import run
from attention_ui.open_files import allow_enough
from attention_ui.upload_room import bound_uploads

# Python looks for cycles after every 700 new objects, a tenth of the time with many visitors; each
# look at all objects makes everybody wait.
gc.set_threshold(5_000)

allow_enough()
bound_uploads()
serve_classes()
run()
