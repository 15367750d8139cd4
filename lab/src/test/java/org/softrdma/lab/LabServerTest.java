// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The web server of the laboratory: to whom it answers, and what to wrong requests. */
@Timeout(60)
class LabServerTest {
    private Lab lab;
    private final HttpClient client = HttpClient.newHttpClient();

    @BeforeEach
    void start() throws IOException {
        lab = Lab.start();
    }

    @AfterEach
    void stop() {
        client.close();
        lab.close();
    }

    private URI at(String path) {
        return lab.address().resolve(path);
    }

    private HttpResponse<String> send(HttpRequest request) {
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException | InterruptedException failed) {
            throw new AssertionError(failed);
        }
    }

    private HttpResponse<String> get(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(at(path)).timeout(Duration.ofSeconds(30));
        return send((headers.length == 0 ? request : request.headers(headers)).build());
    }

    private HttpResponse<String> post(String path, String body) {
        String origin = "http://127.0.0.1:" + lab.address().getPort();
        return send(HttpRequest.newBuilder(at(path)).header("Origin", origin).POST(HttpRequest.BodyPublishers.ofString(body)).build());
    }

    /** Sends a request as it stands, and returns the status line. */
    private String raw(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), lab.address().getPort())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII)).readLine();
        }
    }

    // ---- to whom it answers ----

    @Test
    void shouldServeThePageAndItsLibraries() {
        for (String path : List.of("", "lab.css", "app.js", "icon.svg", "lib/uPlot.js", "lib/uPlot.css", "lib/uPlot-LICENSE.txt")) {
            HttpResponse<String> response = get(path);
            assertEquals(200, response.statusCode(), path);
            assertTrue(response.body().length() > 100, path);
            assertEquals("nosniff", response.headers().firstValue("X-Content-Type-Options").orElse(""));
        }
        String policy = get("").headers().firstValue("Content-Security-Policy").orElse("");
        assertTrue(policy.contains("default-src 'self'"), policy);
        assertEquals(404, get("nothing.js").statusCode());
        assertEquals(403, get("../LabServer.class").statusCode());
    }

    @Test
    void shouldRefuseAWrongToken() {
        URI wrong = URI.create("http://127.0.0.1:" + lab.address().getPort() + "/0123456789abcdef0123456789abcdef/");
        for (String path : List.of("", "app.js", "events", "api/lessons")) {
            assertEquals(403, send(HttpRequest.newBuilder(wrong.resolve(path)).build()).statusCode(), path);
        }
        assertEquals(403, send(HttpRequest.newBuilder(wrong.resolve("/")).build()).statusCode());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"})
    void shouldRefusePagesFromElsewhere(String header) throws IOException {
        String path = lab.address().getPath();
        String host = "127.0.0.1:" + lab.address().getPort();
        assertTrue(raw("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n").contains("200"));
        assertTrue(raw("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + header + "\r\nConnection: close\r\n\r\n").contains("403"),
            header);
    }

    /** A name that an attacker's DNS server resolves to 127.0.0.1. */
    @Test
    void shouldRefuseOtherHostNames() throws IOException {
        String path = lab.address().getPath();
        assertTrue(raw("GET " + path + " HTTP/1.1\r\nHost: evil.example:" + lab.address().getPort() + "\r\nConnection: close\r\n\r\n")
            .contains("403"));
        assertTrue(raw("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").contains("403"));
    }

    @Test
    void shouldRefuseCommandsWithoutAnOrigin() {
        HttpRequest request = HttpRequest.newBuilder(at("api/step")).POST(HttpRequest.BodyPublishers.ofString("{}")).build();
        assertEquals(403, send(request).statusCode());
        assertEquals(200, post("api/step", "{}").statusCode());
    }

    @Test
    void shouldListenOn127001Only() throws IOException {
        int port = lab.address().getPort();
        for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            for (InetAddress address : Collections.list(each.getInetAddresses())) {
                if (!address.getHostAddress().equals("127.0.0.1")) {
                    try (Socket socket = new Socket()) {
                        socket.connect(new InetSocketAddress(address, port), 1000);
                        throw new AssertionError("it listens at " + address);
                    } catch (IOException refused) {
                        assertNotEquals("", String.valueOf(refused.getMessage()));
                    }
                }
            }
        }
    }

    @Test
    void shouldStandBesideAnotherLaboratory() throws IOException {
        try (Lab other = Lab.start()) {
            assertNotEquals(lab.address().getPort(), other.address().getPort());
            assertNotEquals(lab.address().getPath(), other.address().getPath());
            assertEquals(403, send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + other.address().getPort()
                + lab.address().getPath())).build()).statusCode(), "each has a token of its own");
            lab.session().openLesson("dead-peer");
            assertEquals("queue-pair-states", other.session().lesson().id());
        }
    }

    // ---- what it answers to wrong requests ----

    @ParameterizedTest
    @ValueSource(strings = {"{\"action\":\"fly\"}", "{\"action\":\"write\",\"end\":99}", "{\"action\":\"write\",\"bytes\":-1}",
        "{\"action\":\"write\",\"count\":100000}", "{\"action\":\"connect\",\"connection\":0}", "not json", "", "[]",
        "{\"action\":\"faults\",\"text\":\"drop=1%,dir=rx\"}", "{\"action\":\"write\",\"bytes\":99999999}",
        "{\"action\":\"kill\",\"device\":7}"})
    void shouldExplainWrongCommands(String command) {
        HttpResponse<String> response = post("api/command", command);
        assertTrue(response.statusCode() == 400 || response.statusCode() == 409, response.statusCode() + " " + response.body());
        assertTrue(response.body().contains("error"), response.body());
        assertEquals(200, post("api/step", "{}").statusCode(), "it goes on");
    }

    @ParameterizedTest
    @ValueSource(strings = {"not json", "[]", "{\"action\":", "{\"bytes\":\"many\"}"})
    void shouldSayThatARequestIsNoJson(String command) {
        HttpResponse<String> response = post("api/command", command);
        assertEquals(400, response.statusCode());
        assertEquals("{\"error\":\"the request is no JSON object with the fields of this call\"}", response.body());
    }

    @Test
    void shouldReportRefusedVerbs() {
        HttpResponse<String> response = post("api/command", "{\"action\":\"write\",\"end\":0,\"bytes\":10}");
        assertEquals(409, response.statusCode());
        assertTrue(response.body().contains("post_send"), response.body());
    }

    @Test
    void shouldExplainOtherWrongCalls() {
        assertEquals(400, get("api/nothing").statusCode());
        assertEquals(400, get("api/lesson/nothing").statusCode());
        assertEquals(400, get("api/packet/1").statusCode());
        assertEquals(400, get("api/packet/x").statusCode());
        assertEquals(400, post("api/open", "{\"lesson\":\"nothing\"}").statusCode());
        assertEquals(400, post("api/open", "{\"restart\":true,\"faults\":\"drop=1%,seed=4\"}").statusCode());
        assertEquals(400, post("api/play", "{\"speed\":-5}").statusCode());
        assertTrue(post("api/recording?x.pcapng", "junk").body().contains("x.pcapng"));
        assertEquals("queue-pair-states", lab.session().lesson().id(), "what was shown stays");
    }

    /** A page that goes away without a word must not keep anything busy, and others go on. */
    @Test
    void shouldSurviveABrowserThatGoesAway() throws IOException {
        String head = "GET " + lab.address().getPath() + "events HTTP/1.1\r\nHost: 127.0.0.1:" + lab.address().getPort() + "\r\n\r\n";
        for (int i = 0; i < 20; i++) {
            try (Socket socket = new Socket("127.0.0.1", lab.address().getPort())) {
                socket.setSoLinger(true, 0);
                socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
                assertTrue(socket.getInputStream().read() >= 0);
            }
            post("api/step", "{}");
        }
        try (Socket socket = new Socket("127.0.0.1", lab.address().getPort())) {
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            BufferedReader lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            String line = lines.readLine();
            while (!line.startsWith("data: ")) {
                line = lines.readLine();
            }
            assertTrue(line.contains("\"lesson\":\"queue-pair-states\""), line);
        }
    }

    @Test
    void shouldWriteWhatWasDoneAsATest() {
        post("api/open", "{\"lesson\":\"loss-and-go-back-n\"}");
        post("api/command", "{\"action\":\"write\",\"end\":0,\"bytes\":20000}");
        String body = get("api/java").body();
        assertTrue(body.contains("@SoftRdma(devices = 2, kind = DeviceKind.ROCE_V2, faults = \\\"drop=10%\\\", seed = 11)"), body);
        assertTrue(body.contains("write(right0.address(), right0.rkey())"), body);
        assertTrue(get("api/command-line").body().contains("./softrdma lab --lesson loss-and-go-back-n --seed 11 --faults drop=10%"));
    }
}
