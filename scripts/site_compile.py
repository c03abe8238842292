"""Runs in the Python of a browser, under Node, when the site is built (`site_engine.py`): compiles
each module of /given/modules.zip, so that a browser does not have to.
"""

import ast
import importlib._bootstrap_external as loader
import zipfile

KEEP_WORDS = "lab/numpy/_core/"  # NumPy shows docstrings of these by functions of its own


def without_docstrings(tree: ast.Module) -> ast.Module:
    """The tree without what is only read in the source. Classes keep theirs: a dataclass without
    one makes one from its signature, which takes longer than to load it.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Module):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:] or [ast.copy_location(ast.Pass(), first)]
    return tree


with (
    zipfile.ZipFile("/given/modules.zip") as given,
    zipfile.ZipFile("/given/compiled.zip", "w", zipfile.ZIP_DEFLATED) as made,
):
    for name in given.namelist():
        content = given.read(name)
        if name.endswith(".py"):
            tree = ast.parse(content, name)
            if not name.startswith(KEEP_WORDS):
                tree = without_docstrings(tree)
            shown = "/" + name.split("/", 1)[1]
            code = compile(tree, shown, "exec", dont_inherit=True)
            content, name = bytes(loader._code_to_timestamp_pyc(code)), name + "c"
        made.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
