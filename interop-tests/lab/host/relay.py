#!/usr/bin/env python3
"""relay.py SOCKET ADDRESS PORT: forwards a Unix socket to a TCP address.

It runs inside the lab's network namespace; the socket is a file and can be reached from outside.
When one side closes, both are closed.
"""
import asyncio
import os
import sys

CHUNK = 65536


async def copy(reader, writer):
    try:
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass


async def serve(reader, writer, address, port):
    try:
        out_reader, out_writer = await asyncio.wait_for(asyncio.open_connection(address, port), 2)
    except (OSError, asyncio.TimeoutError):
        writer.close()
        return
    copies = [asyncio.ensure_future(copy(reader, out_writer)), asyncio.ensure_future(copy(out_reader, writer))]
    await asyncio.wait(copies, return_when=asyncio.FIRST_COMPLETED)
    for c in copies:
        c.cancel()
    for w in (writer, out_writer):
        w.close()


async def main(path, address, port):
    if os.path.exists(path):
        os.unlink(path)
    server = await asyncio.start_unix_server(lambda r, w: serve(r, w, address, int(port)), path)
    async with server:
        await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
