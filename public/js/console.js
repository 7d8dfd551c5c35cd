// Niceties. Every page works without this file.
(() => {
  "use strict";

  // A filter that is chosen is applied; the button stays for those who prefer it.
  for (const choice of document.querySelectorAll('.filters [data-nicety="submit"]')) {
    choice.addEventListener("change", () => choice.form.requestSubmit());
  }

  // "/" goes to the look-up field, as in many other desks.
  const lookUp = document.querySelector('[data-nicety="slash"]');
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.closest("input, select, textarea");
    if (event.key === "/" && lookUp && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      lookUp.focus();
      lookUp.select();
    }
    if (event.key === "Escape") closeMenus(null, true);
  });

  // Open menus close when one looks elsewhere.
  const menus = document.querySelectorAll('[data-nicety="menu"]');
  const closeMenus = (except, refocus) => {
    for (const menu of menus) {
      if (menu !== except && menu.open) {
        menu.open = false;
        if (refocus) menu.querySelector("summary").focus();
      }
    }
  };
  document.addEventListener("click", (event) => {
    closeMenus(event.target instanceof Element ? event.target.closest('[data-nicety="menu"]') : null, false);
  });
})();
