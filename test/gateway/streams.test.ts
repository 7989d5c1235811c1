import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { exchange, openRaw } from "./raw-client.ts";
import { setUp } from "./setup.ts";
import { until } from "./until.ts";

const ask = [
  "POST /anthropic/v1/messages HTTP/1.1",
  "Host: localhost",
  "Content-Type: application/json",
  "Content-Length: 2",
];
const askHead = `${ask.join("\r\n")}\r\n\r\n`;
const streamHead = "HTTP/1.1 200 Fine\r\ncontent-type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

test("GW-5 a chunk reaches the client before the next one is sent", async () => {
  const { gateway, engine } = await setUp({
    answer: (_, socket) => {
      socket.write(streamHead);
      socket.on("data", () => {});
      send = (text) => socket.write(text);
    },
  });
  let send: (text: string) => void = () => {};
  const client = await openRaw(gateway.port);
  client.socket.write(`${askHead}{}`);
  // The head alone arrives: a model may think for minutes before its first token.
  await client.until("text/event-stream");
  send(chunk("data: 1\n\n"));
  await client.until("data: 1");
  expect(client.received().toString()).not.toContain("data: 2");
  send(`${chunk("data: 2\n\n")}0\r\n\r\n`);
  await client.until("data: 2");
  client.socket.destroy();
  await until(() => expect(engine.responses).toHaveLength(1));
  expect(Buffer.from(engine.responses[0]!.body).toString()).toBe("data: 1\n\ndata: 2\n\n");
  expect(engine.responses[0]).toMatchObject({ status: 200, complete: true });
});

test("GW-5 the client gets the status line and every end-to-end header as the upstream spelled them", async () => {
  const headers = ["SET-cookie: a=1", "set-cookie: b=2", "X-Latin: \u00e9", "request-ID: req_1", "content-length: 2"];
  const { gateway } = await setUp({
    answer: (_, socket) => {
      const hop = ["Connection: keep-alive, x-hop", "x-hop: 1", "Keep-Alive: timeout=5", "Upgrade: h2"];
      socket.write(
        Buffer.from(`HTTP/1.1 529 Overloaded For Now\r\n${[...headers, ...hop].join("\r\n")}\r\n\r\n{}`, "latin1"),
      );
    },
  });
  const answer = await exchange(gateway.port, ask, "{}");
  expect(answer.statusLine).toBe("HTTP/1.1 529 Overloaded For Now");
  expect(answer.headers.split("\r\n")).toEqual([...headers, "Connection: close"]);
  expect(answer.body.toString()).toBe("{}");
});

test("GW-5 a compressed answer passes as it came and is read in a copy", async () => {
  const body = gzipSync('{"usage":{}}');
  const { gateway, engine } = await setUp({
    answer: (_, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`);
      socket.write(body);
    },
  });
  const answer = await exchange(gateway.port, ask, "{}");
  expect(answer.body).toEqual(body);
  expect(answer.headers).toContain("Content-Encoding: gzip");
  await until(() => expect(engine.responses).toHaveLength(1));
  expect(Buffer.from(engine.responses[0]!.body).toString()).toBe('{"usage":{}}');
});

test.each([
  ["without a length, ended by the connection", "HTTP/1.1 200 OK\r\n\r\nbody", "body"],
  ["of HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nbody", "body"],
  ["without a body", "HTTP/1.1 204 No Content\r\n\r\n", ""],
  [
    "behind an interim one",
    "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody",
    "body",
  ],
])("GW-5 an answer %s reaches the client whole", async (_, wire, body) => {
  const { gateway, engine } = await setUp({ answer: (_request, socket) => socket.end(wire) });
  const answer = await exchange(gateway.port, ask, "{}");
  expect(answer.body.toString()).toContain(body);
  await until(() => expect(engine.responses[0]).toMatchObject({ complete: true }));
});

test("GW-5 a client that leaves cancels the upstream", async () => {
  const { gateway, upstream, engine } = await setUp({
    answer: (_, socket) => socket.write(streamHead + chunk("data: 1\n\n")),
  });
  const client = await openRaw(gateway.port);
  client.socket.write(`${askHead}{}`);
  await client.until("data: 1");
  client.socket.destroy();
  await until(() => expect(upstream.connections).toEqual({ opened: 1, closed: 1 }));
  await until(() => expect(engine.responses[0]).toMatchObject({ complete: false }));
  expect(Buffer.from(engine.responses[0]!.body).toString()).toBe("data: 1\n\n");
});

test("GW-5 a client that leaves before the answer cancels the upstream", async () => {
  const { gateway, upstream } = await setUp({ answer: () => {} });
  const client = await openRaw(gateway.port);
  client.socket.write(`${askHead}{}`);
  await until(() => expect(upstream.received).toHaveLength(1));
  client.socket.destroy();
  await until(() => expect(upstream.connections).toEqual({ opened: 1, closed: 1 }));
});

test.each([
  ["a chunked stream", streamHead + chunk("data: 1\n\n"), "data: 1"],
  ["a chunked stream in the middle of a chunk", `${streamHead}64\r\ndata: 1`, "data: 1"],
  ["a body of known length", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\ndata: 1", "data: 1"],
  ["a chunked stream by garbage", `${streamHead}${chunk("data: 1\n\n")}nonsense\r\n`, "data: 1"],
])("GW-5 an upstream that dies ends the client's connection in the same place: %s", async (_, wire, last) => {
  const { gateway, engine } = await setUp({ answer: (_request, socket) => socket.end(wire) });
  const client = await openRaw(gateway.port);
  client.socket.write(`${askHead}{}`);
  const text = (await client.ended()).toString();
  expect(text).toContain(last);
  expect(text).not.toContain("\r\n0\r\n\r\n");
  expect(text).not.toContain("x-holdfast-error");
  await until(() => expect(engine.responses[0]).toMatchObject({ complete: false }));
});

test("GW-5 a slow client gets all that an upstream sent before it died", async () => {
  const sent = Buffer.alloc(24 * 1024 * 1024, "x");
  const { gateway } = await setUp({
    answer: (_, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${sent.length + 1}\r\n\r\n`);
      socket.end(sent);
    },
  });
  const client = await openRaw(gateway.port);
  client.socket.pause();
  client.socket.write(`${askHead}{}`);
  await new Promise((resolve) => setTimeout(resolve, 300));
  client.socket.resume();
  const bytes = await client.ended();
  expect(bytes.length - bytes.indexOf("\r\n\r\n") - 4).toBe(sent.length);
});

test("GW-5 a client that does not read stops the upstream", async () => {
  let written = 0;
  const { gateway } = await setUp({
    answer: (_, socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const piece = Buffer.alloc(1024 * 1024);
      const pump = () => {
        while (written < 512 && socket.write(piece)) written++;
      };
      socket.on("drain", pump);
      pump();
    },
  });
  const client = await openRaw(gateway.port);
  client.socket.pause();
  client.socket.write(`${askHead}{}`);
  const settled = await untilStill(() => written);
  expect(settled).toBeGreaterThan(0);
  expect(settled).toBeLessThan(64);
  client.socket.destroy();
});

test("GW-5 an upstream that does not read stops the client's upload", async () => {
  const upstream = await startHttp(() => undefined);
  const { gateway } = await setUp({ upstreams: [{ name: "slow", url: upstream.url }] });
  const client = await openRaw(gateway.port);
  client.socket.write("PUT /slow/file HTTP/1.1\r\nHost: localhost\r\nContent-Length: 536870912\r\n\r\n");
  let written = 0;
  const piece = Buffer.alloc(1024 * 1024);
  const pump = () => {
    while (written < 512 && client.socket.write(piece)) written++;
  };
  client.socket.on("drain", pump);
  pump();
  const settled = await untilStill(() => written);
  expect(settled).toBeLessThan(64);
  // A connection that nobody reads cannot show that its client has left.
  upstream.cut();
  client.socket.destroy();
});

test.each(["application/json", "application/octet-stream"])(
  "GW-7 a body of 400 MB streams through in bounded memory: %s",
  async (type) => {
    const size = 400 * 1024 * 1024;
    let received = 0;
    const upstream = await startHttp((request) => {
      request.on("data", (bytes: Buffer) => {
        received += bytes.length;
      });
      return "read";
    });
    const { gateway, engine } = await setUp({ upstreams: [{ name: "big", url: upstream.url }] });
    const client = await openRaw(gateway.port);
    const head = ["POST /big/x HTTP/1.1", "Host: localhost", `Content-Type: ${type}`, `Content-Length: ${size}`];
    client.socket.write(`${head.join("\r\n")}\r\n\r\n`);
    const piece = Buffer.alloc(1024 * 1024, "a");
    let peak = 0;
    for (let sent = 0; sent < size; sent += piece.length) {
      if (!client.socket.write(piece)) await new Promise((resolve) => client.socket.once("drain", resolve));
      peak = Math.max(peak, process.memoryUsage().arrayBuffers);
    }
    await client.until("200 OK");
    client.socket.destroy();
    expect(received).toBe(size);
    // What the collector has not yet taken away counts too, so the bound is far above what is held.
    expect(peak).toBeLessThan(size / 2);
    const reason = type === "application/json" ? "too_large" : "content_type";
    expect(engine.counted("gateway_unread", { reason })).toBe(1);
    expect(engine.requests).toEqual([]);
  },
);

test("GW-7 a chunked body that grows over the limit goes on unread, whole", async () => {
  const size = 66 * 1024 * 1024;
  let received = 0;
  const upstream = await startHttp((request) => {
    request.on("data", (bytes: Buffer) => {
      received += bytes.length;
    });
    return "read";
  });
  const { gateway, engine } = await setUp({ upstreams: [{ name: "big", url: upstream.url }] });
  const client = await openRaw(gateway.port);
  client.socket.write(
    "POST /big/x HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".replace(
      "Host: h",
      "Host: localhost",
    ),
  );
  const piece = Buffer.alloc(1024 * 1024, "a");
  for (let sent = 0; sent < size; sent += piece.length) {
    client.socket.write(`${piece.length.toString(16)}\r\n`);
    client.socket.write(piece);
    if (!client.socket.write("\r\n")) await new Promise((resolve) => client.socket.once("drain", resolve));
  }
  client.socket.write("0\r\n\r\n");
  await client.until("200 OK");
  client.socket.destroy();
  expect(received).toBe(size);
  expect(engine.counted("gateway_unread", { reason: "too_large" })).toBe(1);
});

test("GW-5 an upload that is cut never reaches the upstream, nor the engine", async () => {
  const { gateway, upstream, engine } = await setUp();
  const client = await openRaw(gateway.port);
  client.socket.write(`${askHead.replace("Length: 2", "Length: 200")}{"a":`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  client.socket.destroy();
  await exchange(gateway.port, ask, "{}");
  expect(upstream.received).toHaveLength(1);
  expect(engine.requests).toHaveLength(1);
});

test("GW-5 an unread upload that is cut is cut at the upstream too", async () => {
  let outcome = "";
  const upstream = await startHttp((request) => {
    request.resume();
    request.once("close", () => {
      outcome = request.complete ? "complete" : "cut";
    });
    return undefined;
  });
  const { gateway } = await setUp({ upstreams: [{ name: "up", url: upstream.url }] });
  const client = await openRaw(gateway.port);
  client.socket.write("PUT /up/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200\r\n\r\nabc");
  await until(() => expect(upstream.requests()).toBe(1));
  client.socket.destroy();
  await until(() => expect(outcome).toBe("cut"));
});

/** A `node:http` upstream; `"read"` answers 200 when the body has ended. */
async function startHttp(onRequest: (request: IncomingMessage) => "read" | undefined) {
  let requests = 0;
  const server: Server = createServer((request, response) => {
    requests++;
    request.on("error", () => {});
    if (onRequest(request) === "read") request.once("end", () => response.end("done"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    cut: () => server.closeAllConnections(),
  };
}

/** The value when it has stopped growing. */
async function untilStill(read: () => number): Promise<number> {
  for (let before = -1; ; ) {
    const now = read();
    if (now === before && now > 0) return now;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
