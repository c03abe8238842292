// Every test, for a page; node finds them by their names.
import "./around.test.js";
import "./colours.test.js";
import "./decode.test.js";
import "./editor.test.js";
import "./highlights.test.js";
import "./layout.test.js";
import "./marks.test.js";
import "./numbers.test.js";
import "./paint.test.js";
import "./pins.test.js";
import "./rules.test.js";
import "./scene.test.js";
import "./snapshot.test.js";
import "./solve.test.js";
import "./timeline.test.js";
import "./windows.test.js";
import "./wording.test.js";
