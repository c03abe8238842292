// On paper a page keeps its width on the screen: charts are drawn for it, and in narrower columns charts and boards would
// overlap their neighbours. Browsers shrink pages that are too wide for a sheet, but not below two thirds.
(() => {
  const WIDEST = 1072; // px, of which two thirds fit between the usual margins of A4
  const main = () => document.querySelector("[data-testid=stMain]");
  window.addEventListener("beforeprint", () => {
    const width = main().clientWidth;
    Object.assign(main().style, { minWidth: `${width}px`, zoom: Math.min(1, WIDEST / width) });
  });
  window.addEventListener("afterprint", () => Object.assign(main().style, { minWidth: "", zoom: "" }));
})();
