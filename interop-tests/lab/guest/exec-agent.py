#!/usr/bin/env python3
"""Runs commands in the guest for a client on the host.

The agent listens on TCP port 7700 of every guest address. On the host each guest also has a Unix socket that is forwarded
to it (`lab/up` prints it), usable from any network namespace. Protocol: JSON objects, one per line, UTF-8, both directions.
Any number of connections; any number of simultaneous commands on each, identified by an id chosen by the client
(a string, unique among the connection's running commands). "data" is base64.

client -> agent
  {"op":"start","id":"1","argv":["ibv_devices"]}     optional: "env":{"NAME":"value"} added to the agent's own,
                                                     "cwd":"/lab" (default), "stdin":true (default: /dev/null)
  {"op":"stdin","id":"1","data":"aGVsbG8K"}          write to its standard input
  {"op":"eof","id":"1"}                              close its standard input
  {"op":"signal","id":"1","signal":"INT"}            name without SIG, or number; goes to the command's process group
  {"op":"ping"}

agent -> client
  {"ev":"hello","host":"guest2"}                     once, at connect
  {"ev":"started","id":"1","pid":321}
  {"ev":"out","id":"1","data":"..."}                 standard output; "err" is standard error
  {"ev":"exit","id":"1","code":0}                    the last event of an id. Ended by a signal: "code":-9
  {"ev":"error","id":"1","message":"..."}            start failed (then it is the id's last event), or a bad request
  {"ev":"pong"}

Every command leads a process group of its own. Remaining processes of the group are killed when the command ends, and all of a
connection's commands are killed when the connection closes: a client that disappears leaves no process behind.
Programs see a pipe, not a terminal; use `stdbuf -oL` on C programs whose output is needed line by line.
"""
import base64
import json
import os
import queue
import signal
import socket
import subprocess
import threading

PORT = 7700
CHUNK = 65536
STDIN_BACKLOG = 1024  # maximum number of messages queued for a command that does not read


class Command:
    def __init__(self, conn, cid, request):
        self.conn, self.cid = conn, cid
        wants_stdin = bool(request.get("stdin"))
        self.process = subprocess.Popen(
            request["argv"],
            stdin=subprocess.PIPE if wants_stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
            cwd=request.get("cwd", "/lab"),
            env={**os.environ, **request.get("env", {})},
            start_new_session=True)
        self.input = queue.Queue(STDIN_BACKLOG) if wants_stdin else None
        self.lock = threading.Lock()
        self.reaped = False

    def run(self):
        self.conn.send({"ev": "started", "id": self.cid, "pid": self.process.pid})
        readers = [self.spawn(self.copy_out, self.process.stdout, "out"),
                   self.spawn(self.copy_out, self.process.stderr, "err")]
        if self.input:
            self.spawn(self.copy_in)
        self.spawn(self.wait, readers)

    @staticmethod
    def spawn(target, *args):
        thread = threading.Thread(target=target, args=args, daemon=True)
        thread.start()
        return thread

    def copy_out(self, pipe, event):
        while data := os.read(pipe.fileno(), CHUNK):
            self.conn.send({"ev": event, "id": self.cid, "data": base64.b64encode(data).decode()})

    def copy_in(self):
        try:
            while (data := self.input.get()) is not None:
                while data:
                    data = data[os.write(self.process.stdin.fileno(), data):]
            self.process.stdin.close()
        except OSError:
            pass  # the command ended, as its exit event reports, or closed its input

    def wait(self, readers):
        # The process ended but is not reaped yet: its group id cannot have been reused.
        os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        self.signal(signal.SIGKILL)
        with self.lock:
            self.reaped = True
            code = self.process.wait()
        for reader in readers:
            reader.join(2)  # only a grandchild that left the group can still have the pipe open
        self.conn.forget(self.cid)
        self.conn.send({"ev": "exit", "id": self.cid, "code": code})

    def signal(self, number):
        with self.lock:
            if not self.reaped:
                try:
                    os.killpg(self.process.pid, number)
                except ProcessLookupError:
                    pass


class Connection:
    def __init__(self, sock):
        self.sock = sock
        self.send_lock = threading.Lock()
        self.lock = threading.Lock()
        self.commands = {}

    def send(self, message):
        line = json.dumps(message).encode() + b"\n"
        try:
            with self.send_lock:
                self.sock.sendall(line)
        except OSError:
            pass  # the reader detects it and cleans up

    def forget(self, cid):
        with self.lock:
            self.commands.pop(cid, None)

    def command(self, cid):
        with self.lock:
            return self.commands.get(cid)

    def serve(self):
        self.send({"ev": "hello", "host": socket.gethostname()})
        try:
            for line in self.sock.makefile("rb"):
                self.handle(line)
        except OSError:
            pass
        finally:
            with self.lock:
                running = list(self.commands.values())
            for command in running:
                command.signal(signal.SIGKILL)
            self.sock.close()

    def handle(self, line):
        cid = None
        try:
            request = json.loads(line)
            cid = request.get("id")
            self.dispatch(request, cid)
        except Exception as e:  # errors of a request are reported to the client; the agent continues
            self.send({"ev": "error", "id": cid, "message": f"{type(e).__name__}: {e}"})

    def dispatch(self, request, cid):
        op = request.get("op")
        if op == "ping":
            self.send({"ev": "pong"})
        elif op == "start":
            if not isinstance(cid, str) or self.command(cid):
                raise ValueError("id must be a string that no running command has")
            command = Command(self, cid, request)
            with self.lock:
                self.commands[cid] = command
            command.run()
        elif op in ("stdin", "eof", "signal"):
            command = self.command(cid)
            if not command:
                return  # the command has ended; its exit event follows
            if op == "signal":
                name = request["signal"]
                command.signal(name if isinstance(name, int) else signal.Signals["SIG" + name])
            elif not command.input:
                raise ValueError("started without stdin")
            else:
                command.input.put_nowait(base64.b64decode(request["data"]) if op == "stdin" else None)
        else:
            raise ValueError(f"unknown op {op!r}")


def main():
    listener = socket.create_server(("::", PORT), family=socket.AF_INET6, dualstack_ipv6=True)
    while True:
        sock, _ = listener.accept()
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=Connection(sock).serve, daemon=True).start()


main()
