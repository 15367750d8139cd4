// SPDX-License-Identifier: Apache-2.0
package org.softrdma.interop;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON as used by the lab's programs: objects are {@code Map<String, Object>}, arrays {@code List<Object>}, numbers {@code Long} or, with a
 * fraction, {@code Double}; u64 numbers keep their bits. Strings, booleans and null map to their Java counterparts.
 */
public final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /**
     * Parses a text.
     *
     * @throws IllegalArgumentException if the text is not exactly one JSON value
     */
    public static Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value();
        json.blanks();
        if (json.at != text.length()) {
            throw json.bad("something behind the value");
        }
        return value;
    }

    @SuppressWarnings("unchecked")
    public static Map<String, Object> parseObject(String text) {
        return (Map<String, Object>) parse(text);
    }

    /** Creates an object from alternating names and values. */
    public static Map<String, Object> object(Object... namesAndValues) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return object;
    }

    /** Formats a value as one line. */
    public static String format(Object value) {
        StringBuilder into = new StringBuilder();
        format(value, into);
        return into.toString();
    }

    private static void format(Object value, StringBuilder into) {
        switch (value) {
            case null -> into.append("null");
            case Map<?, ?> object -> {
                into.append('{');
                String comma = "";
                for (Map.Entry<?, ?> each : object.entrySet()) {
                    into.append(comma);
                    format(each.getKey(), into);
                    into.append(": ");
                    format(each.getValue(), into);
                    comma = ", ";
                }
                into.append('}');
            }
            case Iterable<?> array -> {
                into.append('[');
                String comma = "";
                for (Object each : array) {
                    into.append(comma);
                    format(each, into);
                    comma = ", ";
                }
                into.append(']');
            }
            case Boolean truth -> into.append(truth);
            case Number number -> into.append(number);
            default -> quote(value.toString(), into);
        }
    }

    private static void quote(String string, StringBuilder into) {
        into.append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            if (c == '"' || c == '\\') {
                into.append('\\').append(c);
            } else if (c < ' ') {
                into.append(String.format("\\u%04x", (int) c));
            } else {
                into.append(c);
            }
        }
        into.append('"');
    }

    private Object value() {
        blanks();
        if (at == text.length()) {
            throw bad("no value");
        }
        return switch (text.charAt(at)) {
            case '{' -> objectValue();
            case '[' -> array();
            case '"' -> string();
            case 't' -> word("true", Boolean.TRUE);
            case 'f' -> word("false", Boolean.FALSE);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Map<String, Object> objectValue() {
        Map<String, Object> object = new LinkedHashMap<>();
        at++;
        if (next('}')) {
            return object;
        }
        do {
            blanks();
            String name = string();
            expect(':');
            object.put(name, value());
        } while (next(','));
        expect('}');
        return object;
    }

    private List<Object> array() {
        List<Object> array = new ArrayList<>();
        at++;
        if (next(']')) {
            return array;
        }
        do {
            array.add(value());
        } while (next(','));
        expect(']');
        return array;
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        expect('"');
        while (at < text.length() && text.charAt(at) != '"') {
            char c = text.charAt(at++);
            if (c == '\\' && at < text.length()) {
                c = text.charAt(at++);
                switch (c) {
                    case 'n' -> c = '\n';
                    case 't' -> c = '\t';
                    case 'r' -> c = '\r';
                    case 'b' -> c = '\b';
                    case 'f' -> c = '\f';
                    case 'u' -> {
                        c = (char) Integer.parseInt(text.substring(at, at + 4), 16);
                        at += 4;
                    }
                    default -> {
                        // quote, backslash or slash: unchanged
                    }
                }
            }
            string.append(c);
        }
        expect('"');
        return string.toString();
    }

    private Object number() {
        int from = at;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        String number = text.substring(from, at);
        if (number.isEmpty()) {
            throw bad("no value");
        }
        if (number.matches("-?\\d+")) {
            return number.startsWith("-") ? Long.parseLong(number) : Long.parseUnsignedLong(number);
        }
        return Double.parseDouble(number);
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw bad("unknown word");
        }
        at += word.length();
        return value;
    }

    private void blanks() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private boolean next(char c) {
        blanks();
        boolean there = at < text.length() && text.charAt(at) == c;
        if (there) {
            at++;
        }
        return there;
    }

    private void expect(char c) {
        if (!next(c)) {
            throw bad("expected '" + c + "'");
        }
    }

    private IllegalArgumentException bad(String why) {
        return new IllegalArgumentException(why + " at " + at + " of " + text);
    }
}
