// On paper a page keeps the width it has on the screen: charts are drawn for it, and in narrower columns they and the boards
// would lie on what stands beside them. Browsers shrink what is too wide for a sheet, but not to less than two thirds.
(() => {
  const WIDEST = 1072; // px, of which two thirds fit between the usual margins of A4
  const main = () => document.querySelector("[data-testid=stMain]");
  window.addEventListener("beforeprint", () => {
    const width = main().clientWidth;
    Object.assign(main().style, { minWidth: `${width}px`, zoom: Math.min(1, WIDEST / width) });
  });
  window.addEventListener("afterprint", () => Object.assign(main().style, { minWidth: "", zoom: "" }));
})();
