// Passkeys: asks the browser for one and puts its answer into the form, which is then sent like any other.
(() => {
  "use strict";

  const decode = (text) =>
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (sign) => sign.charCodeAt(0));
  const encode = (buffer) =>
    buffer ? btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "") : "";

  const create = async (offer) => {
    const { response } = await navigator.credentials.create({
      publicKey: {
        challenge: decode(offer.challenge),
        rp: { id: offer.site, name: "Refund Desk" },
        user: { id: decode(offer.user), name: offer.email, displayName: offer.name },
        pubKeyCredParams: [{ type: "public-key", alg: -7 }, { type: "public-key", alg: -257 }],
        authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
        attestation: "none",
        excludeCredentials: offer.known.map((id) => ({ type: "public-key", id: decode(id) })),
        timeout: 240000,
      },
    });
    return { clientData: encode(response.clientDataJSON), attestation: encode(response.attestationObject) };
  };

  const get = async (offer) => {
    const { rawId, response } = await navigator.credentials.get({
      publicKey: { challenge: decode(offer.challenge), rpId: offer.site, userVerification: "required", timeout: 240000 },
    });
    return {
      credential: encode(rawId),
      clientData: encode(response.clientDataJSON),
      authenticatorData: encode(response.authenticatorData),
      signature: encode(response.signature),
      userHandle: encode(response.userHandle),
    };
  };

  const words = (error) =>
    ({
      NotAllowedError: "Nothing happened: it was cancelled, took too long, or there is no passkey for this desk here.",
      InvalidStateError: "This device has a passkey for your account already.",
      SecurityError: "Passkeys do not work at this address. Open the desk at its own address.",
    })[error.name] ?? error.message;

  for (const form of document.querySelectorAll("[data-passkey]")) {
    const note = form.querySelector("[role=status]");
    const button = form.querySelector("button");
    if (!window.PublicKeyCredential) {
      note.textContent = "This browser does not offer passkeys here.";
      continue;
    }
    note.textContent = "";
    button.disabled = false;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      note.textContent = "";
      button.disabled = true;
      try {
        const answer = await fetch(form.dataset.offer, { method: "POST", headers: { Accept: "application/json" } });
        const offer = await answer.json();
        if (!answer.ok) throw new Error(offer.error);
        const fields = await (form.dataset.passkey === "create" ? create : get)(offer);
        for (const [name, value] of Object.entries(fields)) form.elements[name].value = value;
        form.submit();
      } catch (error) {
        note.textContent = words(error);
        button.disabled = false;
      }
    });
  }
})();
