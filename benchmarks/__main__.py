"""Run the benchmarks named on the command line, or all: python -m benchmarks [NAME ...] [OPTION
...].

A benchmark is a module of this package with a function `main()`; a module whose name starts with an
underscore is part of another one. Options, from the first dash on, go to `main(options)` of the one
benchmark that is named.
"""

import importlib
import pkgutil
import sys
from itertools import takewhile
from pathlib import Path

available = [
    module.name
    for module in pkgutil.iter_modules([str(Path(__file__).parent)])
    if module.name[0] != "_"
]
names = list(takewhile(lambda word: not word.startswith("-"), sys.argv[1:]))
options = sys.argv[1 + len(names) :]
unknown = sorted(set(names) - set(available))
if unknown or (options and len(names) != 1):
    sys.exit(f"{__doc__}\nBenchmarks: {', '.join(available)}")
for name in names or available:
    main = importlib.import_module(f"benchmarks.{name}").main
    if options:
        main(options)
    else:
        main()
