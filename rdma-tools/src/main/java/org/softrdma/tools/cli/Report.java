// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import java.util.List;

/** A list of objects on stdout, as text lines or as JSON, byte for byte as iproute2 lays them out. */
public abstract class Report {
    public static Report of(boolean json, boolean pretty, Console console) {
        return json ? new Json(pretty, console) : new Text(console);
    }

    public abstract void begin();

    public abstract void beginObject();

    /**
     * Adds a string.
     *
     * @param format form in the text, with one placeholder; null if only JSON has it
     */
    public abstract void string(String key, String format, String value);

    public abstract void number(String key, String format, long value);

    public abstract void onOff(String key, String format, boolean value);

    /** Adds a list: in text on a line of its own below the object's. */
    public abstract void names(String key, List<String> values);

    /** Adds a list: in text on the object's line. */
    public abstract void list(String key, List<String> values);

    public abstract void endObject();

    public abstract void end();

    private static final class Text extends Report {
        private final Console console;

        Text(Console console) {
            this.console = console;
        }

        @Override
        public void begin() {
        }

        @Override
        public void beginObject() {
        }

        @Override
        public void string(String key, String format, String value) {
            if (format != null) {
                console.printf(format, value);
            }
        }

        @Override
        public void number(String key, String format, long value) {
            if (format != null) {
                console.printf(format, value);
            }
        }

        @Override
        public void onOff(String key, String format, boolean value) {
            console.printf(format, value ? "on" : "off");
        }

        @Override
        public void names(String key, List<String> values) {
            console.print("\n    " + key + ": <" + String.join(", ", values) + ">");
        }

        @Override
        public void list(String key, List<String> values) {
            console.print(key + " " + String.join(",", values) + " ");
        }

        @Override
        public void endObject() {
            console.print("\n");
        }

        @Override
        public void end() {
        }
    }

    private static final class Json extends Report {
        private final boolean pretty;
        private final Console console;
        private int depth;
        private String separator = "";

        Json(boolean pretty, Console console) {
            this.pretty = pretty;
            this.console = console;
        }

        @Override
        public void begin() {
            beginArray();
        }

        @Override
        public void beginObject() {
            open('{');
        }

        @Override
        public void string(String key, String format, String value) {
            name(key);
            value(quoted(value));
        }

        @Override
        public void number(String key, String format, long value) {
            name(key);
            value(Long.toString(value));
        }

        @Override
        public void onOff(String key, String format, boolean value) {
            name(key);
            value(Boolean.toString(value));
        }

        @Override
        public void names(String key, List<String> values) {
            name(key);
            beginArray();
            values.forEach(each -> value(quoted(each)));
            endArray();
        }

        @Override
        public void list(String key, List<String> values) {
            names(key, values);
        }

        @Override
        public void endObject() {
            depth--;
            if (!separator.isEmpty()) {
                newLine();
            }
            console.print("}");
            separator = ",";
        }

        @Override
        public void end() {
            endArray();
            console.print("\n");
        }

        private void beginArray() {
            open('[');
            console.print(pretty ? " " : "");
        }

        private void endArray() {
            console.print(pretty && !separator.isEmpty() ? " " : "");
            depth--;
            console.print("]");
            separator = ",";
        }

        private void open(char bracket) {
            console.print(separator + bracket);
            separator = "";
            depth++;
        }

        private void name(String key) {
            console.print(separator);
            newLine();
            separator = "";
            console.print(quoted(key) + (pretty ? ": " : ":"));
        }

        private void value(String text) {
            console.print(separator + text);
            separator = ",";
        }

        private void newLine() {
            console.print(pretty ? "\n" + "    ".repeat(depth) : "");
        }

        /** Escapes a string. Names of links and interfaces and words of reports are visible ASCII, so no other escapes are needed. */
        private static String quoted(String text) {
            return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
        }
    }
}
