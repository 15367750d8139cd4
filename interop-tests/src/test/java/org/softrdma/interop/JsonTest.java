// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    @Test
    void shouldReadWhatPythonWrites() {
        // json.dumps({"a": [1, -2, 1.5, True, None], "b": {"c": "x\"\\\n\u00e4"}, "big": 2**64 - 1})
        String text = "{\"a\": [1, -2, 1.5, true, null], \"b\": {\"c\": \"x\\\"\\\\\\n\\u00e4\"}, \"big\": 18446744073709551615}";
        var read = Json.parseObject(text);
        assertEquals(Arrays.asList(1L, -2L, 1.5, true, null), read.get("a"));
        assertEquals(Json.object("c", "x\"\\\nä"), read.get("b"));
        assertEquals(-1L, read.get("big"));
    }

    @Test
    void shouldWriteOneLineThatReadsBackTheSame() {
        var object = Json.object("text", "line\nline \"quoted\" \\", "list", List.of(1L, List.of()), "none", null, "yes", true);
        String text = Json.format(object);
        assertEquals(-1, text.indexOf('\n'));
        assertEquals(object, Json.parse(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[1", "{\"a\" 1}", "\"open", "nothing", "1 2"})
    void shouldRejectTextThatIsNotOneValue(String text) {
        assertThrows(IllegalArgumentException.class, () -> Json.parse(text));
    }
}
