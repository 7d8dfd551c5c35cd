"""Starts the whole product on this machine, for ops/soak and ops/bench.

A private PostgreSQL, the simulator and Refund Desk, each in a folder of its own, on loopback ports
of their own. Everything is driven from outside: the command line, HTTP, and the simulator's ledger.
"""
import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def call(method, url, body=None, timeout=10, headers=None):
    """(status, headers, body bytes); a refused or broken connection is an OSError."""
    data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers=headers or {})
    if data is not None:
        request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()
    except urllib.error.URLError as error:
        raise OSError(str(error.reason)) from error


def wait_for(what, test, seconds=30):
    """Waits for a signal: `test` is asked until it says something true."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        found = test()
        if found:
            return found
        time.sleep(0.02)
    raise SystemExit("gave up after %d s: %s" % (seconds, what))


class Desk:
    def __init__(self, folder, configuration="debug", durable=True, seed=7, calm=True):
        self.folder, self.durable, self.seed, self.calm = folder, durable, seed, calm
        os.makedirs(folder, exist_ok=True)
        self.programs = os.path.join(ROOT, ".build", configuration)
        self.children, self.log = {}, open(os.path.join(folder, "desk.log"), "ab")
        self.port, self.simulator_port = free_port(), free_port()
        self.base = "http://127.0.0.1:%d" % self.port
        self.simulator = "http://127.0.0.1:%d" % self.simulator_port
        self.inboxes = {}

    # ------------------------------------------------------------ parts

    def ops(self, *args):
        return subprocess.run([os.path.join(ROOT, "ops", args[0]), *args[1:]], check=True,
                              stdout=subprocess.PIPE, text=True).stdout.strip()

    def start_postgres(self):
        cluster = os.path.join(self.folder, "postgres")
        self.server = self.ops("postgres", "start", cluster, *(["--durable"] if self.durable else []))
        return self.server

    def stop_postgres(self):
        self.ops("postgres", "stop", os.path.join(self.folder, "postgres"))

    def psql(self, sql, database=None):
        url = self.server if database is None else self.server.rsplit("/", 1)[0] + "/" + database
        return subprocess.run(["psql", url, "-v", "ON_ERROR_STOP=1", "-AtqX", "-c", sql], check=True,
                              stdout=subprocess.PIPE, text=True).stdout.strip()

    def prepare(self):
        """Database, schema and master key."""
        self.start_postgres()
        self.database = "desk_%d" % os.getpid()
        self.psql("create database %s" % self.database)
        self.environment = dict(
            {k: v for k, v in os.environ.items() if not k.startswith("REFUND_DESK_")},
            DATABASE_URL=self.server.rsplit("/", 1)[0] + "/" + self.database,
            REFUND_DESK_LISTEN="127.0.0.1:%d" % self.port,
            REFUND_DESK_PUBLIC_URL=self.base,
            REFUND_DESK_PUBLIC_FOLDER=os.path.join(ROOT, "public"),
            REFUND_DESK_MASTER_KEY_FILE=os.path.join(self.folder, "master-key"),
            REFUND_DESK_TRUST_ROOTS=os.path.join(self.folder, "simulator", "roots"),
            REFUND_DESK_REVOCATION_CHECK="off",
            REFUND_DESK_APP_STORE_PRODUCTION_URL=self.simulator + "/production",
            REFUND_DESK_APP_STORE_SANDBOX_URL=self.simulator + "/sandbox",
            REFUND_DESK_LOG="warning")
        if not os.path.exists(self.environment["REFUND_DESK_MASTER_KEY_FILE"]):
            self.desk("master-key", "new", "--file", self.environment["REFUND_DESK_MASTER_KEY_FILE"])
        self.desk("migrate")

    def desk(self, *args, stdin=None):
        """An administrative command; its JSON."""
        done = subprocess.run([os.path.join(self.programs, "refund-desk"), *args, "--json"], input=stdin,
                              env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise SystemExit("refund-desk %s: %s" % (" ".join(args), done.stderr.strip()))
        return json.loads(done.stdout or "{}")

    def start(self, name, arguments, environment=None):
        self.children[name] = subprocess.Popen(arguments, env=environment, stdout=self.log, stderr=self.log)
        return self.children[name]

    def start_simulator(self):
        state = os.path.join(self.folder, "simulator")
        self.start("simulator", [
            os.path.join(self.programs, "app-store-simulator"), "--listen", "127.0.0.1:%d" % self.simulator_port,
            "--state", state, "--seed", str(self.seed), *(["--calm"] if self.calm else [])])
        wait_for("the simulator", lambda: self.answers(self.simulator + "/control"))

    def serve(self, *only, name="serve", **settings):
        environment = dict(self.environment, **settings)
        parts = [word for part in only for word in ("--only", part)]
        child = self.start(name, [os.path.join(self.programs, "refund-desk"), "serve", *parts], environment)
        address = environment["REFUND_DESK_LISTEN"]
        wait_for("refund-desk serve", lambda: child.poll() is not None or self.is_ready(address))
        if child.poll() is not None:
            raise SystemExit("refund-desk serve ended with %d; see %s" % (child.returncode, self.log.name))
        return child

    def is_ready(self, address):
        try:
            return call("GET", "http://%s/health/ready" % address, timeout=2)[0] == 200
        except OSError:
            return False

    def answers(self, url):
        try:
            return call("GET", url, timeout=2)[0] < 500
        except OSError:
            return False

    def kill(self, name, how=signal.SIGKILL):
        child = self.children.pop(name)
        child.send_signal(how)
        child.wait()
        return child.returncode

    def stop(self):
        for name in list(self.children):
            self.kill(name, signal.SIGTERM)
        try:
            self.psql("drop database if exists %s with (force)" % self.database)
        finally:
            self.stop_postgres()

    # ------------------------------------------------------------ tenants

    def add_app(self, tenant, bundle, apple_id, consent_from="2020-01-01"):
        """A tenant with one app, its key known to the simulator, consent of all buyers, or with None of each. The inbox's URL."""
        consent = ["--consent", "per-customer"]
        if consent_from:
            wording = os.path.join(self.folder, "wording.txt")
            with open(wording, "w") as f:
                f.write("You agree that we tell Apple how you used what you bought when you ask for a refund.\n")
            consent = ["--consent", "all-from=" + consent_from, "--wording-file", wording, "--consent-shown-where",
                       "before each purchase", "--consent-declared-by", "the measurement"]
        self.desk("tenant", "add", tenant, "--name", tenant)
        url = self.desk("app", "add", "--tenant", tenant, "--bundle-id", bundle, "--apple-id", str(apple_id),
                        "--name", bundle, *consent)["notificationURL"]
        key = subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
                             check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        key_id = "DESK%06d" % len(self.inboxes)
        issuer = "11111111-2222-4333-8444-555555555555"
        self.desk("key", "add", "--tenant", tenant, "--key-id", key_id, "--issuer-id", issuer, "--file", "-", stdin=key)
        public = subprocess.run(["openssl", "pkey", "-pubout"], input=key, check=True, stdout=subprocess.PIPE, text=True).stdout
        self.control("PUT", "/control/apps/" + bundle, {
            "appAppleId": apple_id, "issuerId": issuer, "keyId": key_id, "publicKey": public,
            "notificationURL": url})
        self.inboxes[bundle] = url
        return url

    def control(self, method, path, body=None, timeout=60):
        status, _, answer = call(method, self.simulator + path, body, timeout=timeout)
        if status >= 300:
            raise SystemExit("simulator %s %s: %d %s" % (method, path, status, answer[:300]))
        return json.loads(answer or b"{}")
