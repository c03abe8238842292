const SHEET = 1088; // px, which browsers shrink to the width of a sheet

/**
 * Call dress when the surroundings of a board change: the system turns dark or light, a typeface arrives, the page is printed.
 *
 * Gives {now(), end()}; now() says whether the board is printed, where it keeps its width, and whether the theme is dark.
 */
export function watchSurroundings(section, dress) {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  let printed = false;
  const print = ({ type }) => {
    printed = type === "beforeprint";
    section.style.width = printed ? `${Math.min(SHEET, section.clientWidth)}px` : "";
    dress();
  };
  const watched = [
    [system, "change", dress],
    [document.fonts, "loadingdone", dress],
    [window, "beforeprint", print],
    [window, "afterprint", print],
  ];
  for (const [target, event, act] of watched) target?.addEventListener(event, act);
  return {
    now: () => ({ printed, dark: system.matches && !printed }),
    end: () => {
      for (const [target, event, act] of watched) target?.removeEventListener(event, act);
    },
  };
}
