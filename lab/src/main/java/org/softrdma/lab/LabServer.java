// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.softrdma.verbs.VerbsException;

/**
 * The web server of a laboratory. It listens on 127.0.0.1 only, at a port that the system chooses. Its address has a token, without which
 * the answer is 403; requests of pages from elsewhere are refused by their {@code Host}, {@code Origin} and {@code Sec-Fetch-Site}.
 */
public final class LabServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(LabServer.class.getName());
    /** Maximum size of a recording that a page sends. */
    private static final int MAX_RECORDING = 256 << 20;
    private static final int MAX_COMMAND = 1 << 16;
    private static final int TOKEN_BYTES = 16;
    private static final int BACKLOG = 64;
    private static final long KEEPALIVE_MS = 5_000;
    private static final long SHORTEST_PERIOD_MS = 40;

    private final LabSession session;
    private final HttpServer http;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final String token;
    private final StaticFiles files = new StaticFiles();
    private final LabApi api;
    private final Gson gson = new GsonBuilder().disableHtmlEscaping().create();

    /**
     * Starts a server.
     *
     * @throws IOException if no port can be had
     */
    public LabServer(LabSession session) throws IOException {
        this.session = session;
        api = new LabApi(session);
        byte[] random = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(random);
        token = HexFormat.of().formatHex(random);
        http = HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0), BACKLOG);
        http.setExecutor(threads);
        http.createContext("/", this::handle);
        http.start();
    }

    /** Address of the page, with the token. */
    public URI address() {
        return URI.create("http://127.0.0.1:" + http.getAddress().getPort() + "/" + token + "/");
    }

    // ---- requests ----

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            String own = "/" + token + "/";
            if (!path.startsWith(own) || !isOurs(exchange)) {
                send(exchange, 403, "text/plain", "403: this laboratory answers to its own page only; open the address that it printed\n"
                    .getBytes(StandardCharsets.UTF_8));
                return;
            }
            String rest = path.substring(own.length());
            if (rest.equals("events")) {
                stream(exchange);
            } else if (rest.startsWith("api/")) {
                answer(exchange, rest.substring("api/".length()));
            } else {
                file(exchange, rest.isEmpty() ? "index.html" : rest);
            }
        }
    }

    /** Whether a request comes from our own page, or was typed into the browser; not from a page of another site. */
    private boolean isOurs(HttpExchange exchange) {
        String authority = "127.0.0.1:" + http.getAddress().getPort();
        String host = exchange.getRequestHeaders().getFirst("Host");
        String origin = exchange.getRequestHeaders().getFirst("Origin");
        String site = exchange.getRequestHeaders().getFirst("Sec-Fetch-Site");
        boolean post = exchange.getRequestMethod().equals("POST");
        return authority.equals(host) && (origin == null ? !post : origin.equals("http://" + authority))
            && (site == null || Set.of("same-origin", "none").contains(site));
    }

    private void file(HttpExchange exchange, String name) throws IOException {
        StaticFiles.File found = exchange.getRequestMethod().equals("GET") ? files.find(name) : null;
        if (found == null) {
            send(exchange, 404, "text/plain", ("404: no " + name + "\n").getBytes(StandardCharsets.UTF_8));
        } else {
            send(exchange, 200, found.type(), found.content());
        }
    }

    private void answer(HttpExchange exchange, String call) throws IOException {
        int status = 200;
        Object result;
        try {
            int limit = call.equals("recording") ? MAX_RECORDING : MAX_COMMAND;
            byte[] body = exchange.getRequestBody().readNBytes(limit + 1);
            if (body.length > limit) {
                throw new IllegalArgumentException("more than " + limit + " bytes; that is the limit");
            }
            result = exchange.getRequestMethod().equals("POST") ? api.post(call, query(exchange), body) : api.get(call);
        } catch (VerbsException refused) {
            // The log of the world has it too; the page shows it beside the control.
            status = 409;
            result = Map.of("error", String.valueOf(refused.getMessage()));
        } catch (IllegalArgumentException wrong) {
            status = 400;
            result = Map.of("error", String.valueOf(wrong.getMessage()));
        } catch (RuntimeException broken) {
            LOG.log(System.Logger.Level.WARNING, "call " + call + " of the page failed", broken);
            status = 500;
            result = Map.of("error", "the laboratory has failed: " + broken + "; please report it with the log");
        }
        send(exchange, status, "application/json", gson.toJson(result).getBytes(StandardCharsets.UTF_8));
    }

    private static String query(HttpExchange exchange) {
        String raw = exchange.getRequestURI().getRawQuery();
        return raw == null ? "" : URLDecoder.decode(raw, StandardCharsets.UTF_8);
    }

    /** Server-sent events until the page goes away. */
    private void stream(HttpExchange exchange) throws IOException {
        headers(exchange, "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        LabSession.PageCursor page = new LabSession.PageCursor();
        OutputStream out = exchange.getResponseBody();
        try {
            while (!session.isClosed()) {
                Map<String, Object> news = session.news(page, KEEPALIVE_MS);
                String event = news == null ? ": still here\n\n" : "data: " + gson.toJson(news) + "\n\n";
                out.write(event.getBytes(StandardCharsets.UTF_8));
                out.flush();
                Thread.sleep(SHORTEST_PERIOD_MS);
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private static void headers(HttpExchange exchange, String type) {
        Map<String, List<String>> headers = exchange.getResponseHeaders();
        headers.put("Content-Type", List.of(type));
        headers.put("Cache-Control", List.of("no-store"));
        headers.put("Referrer-Policy", List.of("no-referrer"));
        headers.put("X-Content-Type-Options", List.of("nosniff"));
        headers.put("X-Frame-Options", List.of("DENY"));
        headers.put("Cross-Origin-Resource-Policy", List.of("same-origin"));
        headers.put("Content-Security-Policy", List.of("default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
            + "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"));
    }

    private static void send(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        headers(exchange, type + (type.startsWith("text/") || type.contains("javascript") ? "; charset=utf-8" : ""));
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    /** Stops at once; pages that are open lose their connection. */
    @Override
    public void close() {
        session.close();
        http.stop(0);
        threads.shutdownNow();
    }

    /** Files of the page and its libraries, all of them in jars. */
    private static final class StaticFiles {
        private static final Map<String, String> TYPES = Map.of("html", "text/html", "css", "text/css", "js", "text/javascript", "svg",
            "image/svg+xml", "txt", "text/plain");
        /** Libraries: their path on the page, and in their jar. */
        private static final Map<String, String> LIBRARIES = Map.of(
            "lib/uPlot.js", "/META-INF/resources/webjars/uplot/1.6.30/dist/uPlot.esm.js",
            "lib/uPlot.css", "/META-INF/resources/webjars/uplot/1.6.30/dist/uPlot.min.css",
            "lib/uPlot-LICENSE.txt", "/META-INF/resources/webjars/uplot/1.6.30/LICENSE");

        record File(String type, byte[] content) {
        }

        /** Returns a file, or null if there is none. */
        File find(String name) throws IOException {
            if (!name.matches("[A-Za-z0-9-]+(/[A-Za-z0-9-]+)?\\.[a-z]+")) {
                return null;
            }
            String resource = LIBRARIES.getOrDefault(name, "/org/softrdma/lab/web/" + name);
            try (InputStream in = LabServer.class.getResourceAsStream(resource)) {
                String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
                return in == null || type == null ? null : new File(type, in.readAllBytes());
            }
        }
    }
}
