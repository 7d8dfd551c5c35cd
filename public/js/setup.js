// What pages that wait do by themselves, the setup page first of all. Everything works without this file.
(() => {
  "use strict";

  // A button that copies is of use only here.
  const reveal = (root) => {
    for (const button of root.querySelectorAll("[data-copies]")) button.hidden = false;
  };
  reveal(document);

  const copy = async (text, field) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    // A desk without TLS that is not on this machine: the browser has only the old way there.
    if (!(field instanceof HTMLInputElement)) return Promise.reject();
    field.select();
    return document.execCommand("copy") ? undefined : Promise.reject();
  };
  document.addEventListener("click", async (event) => {
    const button = event.target instanceof Element && event.target.closest("[data-copies]");
    if (!button) return;
    const source = document.getElementById(button.dataset.copies);
    const said = button.textContent;
    try {
      await copy(source.value ?? source.textContent, source);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select and copy by hand";
    }
    setTimeout(() => { button.textContent = said; }, 1600);
  });

  // A key file: dropped, or chosen. Its name tells the key ID.
  for (const place of document.querySelectorAll('[data-nicety="drop"]')) {
    const input = place.querySelector("input[type=file]");
    const shown = place.querySelector(".drop-name");
    const keyID = place.closest("form").querySelector("[name=keyID]");
    let depth = 0;
    const over = (by) => {
      depth = Math.max(0, depth + by);
      place.toggleAttribute("data-over", depth > 0);
    };
    place.addEventListener("dragenter", (event) => { event.preventDefault(); over(1); });
    place.addEventListener("dragleave", () => over(-1));
    place.addEventListener("dragover", (event) => event.preventDefault());
    place.addEventListener("drop", (event) => {
      event.preventDefault();
      over(-depth);
      if (!event.dataTransfer.files.length) return;
      input.files = event.dataTransfer.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    });
    input.addEventListener("change", () => {
      const file = input.files[0];
      shown.textContent = file ? file.name : "";
      const name = file?.name.match(/^(?:SubscriptionKey|AuthKey|ApiKey)_([A-Z0-9]{10})\.p8$/);
      if (name && keyID && !keyID.value) keyID.value = name[1];
    });
  }

  // While something is awaited, the parts that change are fetched and put in place.
  const page = document.querySelector("[data-source]");
  if (!page) return;
  const soonest = 1000, latest = 5000, enough = 600000;
  const began = Date.now();
  let pause = soonest;
  const isAwaiting = () => page.querySelector("[data-awaits]") !== null;
  const refresh = async () => {
    const answer = await fetch(page.dataset.source, { credentials: "same-origin", redirect: "error" });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of fresh.querySelectorAll("[data-live]")) {
      const old = page.querySelector(`[data-live="${CSS.escape(part.dataset.live)}"]`);
      // Who stands in a part is not thrown out of it; the next try comes.
      if (!old || old.contains(document.activeElement)) continue;
      old.toggleAttribute("data-awaits", part.hasAttribute("data-awaits"));
      if (old.innerHTML === part.innerHTML) continue;
      old.replaceChildren(...part.childNodes);
      reveal(old);
    }
  };
  const again = () => {
    if (!isAwaiting() || Date.now() - began > enough) return;
    setTimeout(async () => {
      try {
        if (!document.hidden) await refresh();
      } catch {
        // Away for a moment: the next try comes.
      }
      pause = Math.min(latest, pause * 1.2);
      again();
    }, pause);
  };
  again();
})();
