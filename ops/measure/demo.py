#!/usr/bin/env python3
"""The demo tenant of ops/run: made once, told to the simulator at each start.

  demo.py --program P --data FOLDER --simulator URL --email E    makes what is missing, registers the apps
  demo.py --data FOLDER --simulator URL --traffic                lets refund requests flow
  demo.py --data FOLDER --simulator URL --email E --address URL --try-password
                                     prints "works" or "changed" for the password of FOLDER, "unknown" else
"""
import argparse
import json
import os
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from desk import call  # noqa: E402

TENANT, MADE = "demo", "Demo (made by ops/run)"
ISSUER, KEY_ID = "57246542-96fe-4a63-b053-0824d011072a", "DEMO2X9R4H"
APPS = [
    # bundle ID, Apple ID, name, consent of all or of each
    ("com.example.lumen", 6450000011, "Lumen Reader", "all-from=2020-01-01"),
    ("com.example.orbit", 6450000012, "Orbit Quest", "per-customer"),
    ("com.example.atelier", 6450000013, "Atelier Courses", "all-from=2020-01-01"),
]
# Bought with Advanced Commerce: prices in milliunits, the storefront settles the currency.
COMMERCE_APP = "com.example.atelier"
# Its own server, played by the simulator, is asked at each request.
ASKED_APP = "com.example.orbit"
LETTERS = [("channel.letters", "Letters", 9990), ("channel.letters.audio", "Letters, read aloud", 2990),
           ("channel.letters.archive", "Letters, the archive", 1990)]
COMMERCE_SALES = [
    {"kind": "subscription", "storefront": "USA", "earlierPeriods": 1, "ageSeconds": 345600, "items": LETTERS},
    {"kind": "subscription", "storefront": "DEU", "ageSeconds": 86400, "items": LETTERS[:2]},
    {"kind": "oneTime", "storefront": "JPN", "items": [("course.ink.101", "Ink, first steps", 1800000)]},
    {"kind": "oneTime", "storefront": "FRA", "items": [("course.paper.201", "Paper, advanced", 24990)]},
    {"kind": "subscription", "environment": "Sandbox", "storefront": "USA", "items": LETTERS},
    {"kind": "oneTime", "environment": "Sandbox", "storefront": "GBR", "items": [("course.ink.101", "Ink, first steps", 9990)]},
]
WORDING = ("When you ask Apple for a refund, we may tell Apple how much of your purchase you have used. "
           "It helps Apple to decide. You can withdraw this in the settings at any time.\n")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--program")
    p.add_argument("--data", required=True)
    p.add_argument("--simulator", required=True)
    p.add_argument("--email")
    p.add_argument("--traffic", action="store_true")
    p.add_argument("--address")
    p.add_argument("--try-password", action="store_true")
    args = p.parse_args()
    memory = os.path.join(args.data, "demo.json")
    known = json.load(open(memory)) if os.path.exists(memory) else {}

    if args.try_password:
        print(try_password(args))
        return

    def control(method, path, body):
        status, _, answer = call(method, args.simulator + path, body, timeout=30)
        if status >= 300:
            sys.exit("the simulator answered %d to %s: %s" % (status, path, answer.decode(errors="replace")[:300]))
        return json.loads(answer or b"{}")

    def remember():
        with open(os.open(memory, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as f:
            json.dump(known, f, indent=1)

    if args.traffic:
        control("POST", "/control/traffic", {
            "perMinute": 20, "bundleIds": [a[0] for a in APPS], "sandboxPercent": 15,
            "backend": {"url": known["publicURL"], "token": known["token"]}})
        if "commerce" not in known:
            sell(control)
            known["commerce"] = True
            remember()
        return

    def desk(*words, stdin=None):
        done = subprocess.run([args.program, *words, "--json"], input=stdin, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            sys.exit("refund-desk %s: %s" % (" ".join(words), done.stderr.strip()))
        return json.loads(done.stdout or "{}")

    key_file = os.path.join(args.data, "demo-key.p8")
    if not os.path.exists(key_file):
        key = subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
                             check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        with open(os.open(key_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as f:
            f.write(key)
    # Each step is remembered as soon as it is done: a start that was cut off goes on where it stopped.
    if "tenant" not in known:
        desk("tenant", "add", TENANT, "--name", MADE)
        known["tenant"] = TENANT
        remember()
    urls = known.setdefault("urls", {})
    for bundle, apple_id, name, consent in APPS:
        if bundle in urls:
            continue
        words = ["app", "add", "--tenant", TENANT, "--bundle-id", bundle, "--apple-id", str(apple_id), "--name", name,
                 "--consent", consent]
        if consent.startswith("all-from"):
            wording = os.path.join(args.data, "demo-wording.txt")
            with open(wording, "w") as f:
                f.write(WORDING)
            words += ["--wording-file", wording, "--consent-shown-where", "Settings, Privacy, before the first purchase",
                      "--consent-declared-by", "ops/run, for its demo"]
        urls[bundle] = desk(*words)["notificationURL"]
        remember()
    if "key" not in known:
        known["key"] = desk("key", "add", "--tenant", TENANT, "--key-id", KEY_ID, "--issuer-id", ISSUER,
                            "--file", key_file)["fingerprint"]
        remember()
    if "person" not in known:
        password = open(os.path.join(args.data, "demo-password")).read().strip()
        desk("operator", "add", "--email", args.email, "--tenant", TENANT, "--role", "owner", "--password-stdin",
             stdin=password + "\n")
        known["person"] = args.email
        remember()
    if "token" not in known:
        known["token"] = desk("token", "add", "--tenant", TENANT, "--scope", "consent", "--scope", "usage",
                              "--scope", "cases")["token"]
        remember()
    # Named anew at each start: the simulator's port may be another one.
    asked = desk("callback", "set", "--tenant", TENANT, "--bundle-id", ASKED_APP, "--url-stdin",
                 *([] if "callback" in known else ["--new-secret"]),
                 stdin="%s/backend/%s/evidence\n" % (args.simulator, ASKED_APP))
    if asked.get("secret"):
        known["callback"] = asked["secret"]
        remember()
    known["publicURL"] = os.environ["REFUND_DESK_PUBLIC_URL"].rstrip("/")
    remember()

    public = subprocess.run(["openssl", "pkey", "-in", key_file, "-pubout"], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    control("PUT", "/control/backends/" + ASKED_APP, {"mode": "answer", "secret": known["callback"]})
    for bundle, apple_id, _, _ in APPS:
        # The port may be another one than at the first start; the path stays.
        path = "/n/" + urls[bundle].rstrip("/").rsplit("/", 1)[1]
        control("PUT", "/control/apps/" + bundle, {
            "appAppleId": apple_id, "issuerId": ISSUER, "keyId": KEY_ID, "publicKey": public,
            "notificationURL": "http://%s%s" % (os.environ["REFUND_DESK_LISTEN"], path)})


def sell(control):
    """Advanced Commerce purchases that the app is told of: what a refund can be asked for."""
    for sale in COMMERCE_SALES:
        items = [{"SKU": sku, "displayName": name, "price": price} for sku, name, price in sale["items"]]
        control("POST", "/control/commerce/purchases",
                dict(sale, bundleId=COMMERCE_APP, items=items, tells=True))


def try_password(args):
    """Signs in with it and out again."""
    with open(os.path.join(args.data, "demo-password")) as f:
        form = {"email": args.email, "password": f.read().strip()}
    status, headers = post_form(args.address + "/sign-in", form)
    if status == 303:
        cookie = (headers.get("Set-Cookie") or "").split(";")[0]
        post_form(args.address + "/sign-out", {}, {"Cookie": cookie, "Sec-Fetch-Site": "same-origin"})
        return "works"
    return "changed" if status == 403 else "unknown"


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def post_form(url, form, headers=None):
    """(status, headers); no redirect is followed."""
    request = urllib.request.Request(url, data=urllib.parse.urlencode(form).encode(), headers=headers or {})
    try:
        with urllib.request.build_opener(Stay).open(request, timeout=10) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers
    except OSError:
        return 0, {}


if __name__ == "__main__":
    main()
