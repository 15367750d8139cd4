// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The parameters of both ends, as the client's command line and the tests set them. The user's values have precedence over a test's own
 * defaults.
 */
final class Parameters {
    /** One of the ends, seen from the client. */
    enum Side { LOCAL, REMOTE }

    /** Both ends. */
    static final List<Side> BOTH = List.of(Side.LOCAL, Side.REMOTE);

    private static final class Value {
        private int number;
        private String text = "";
        /** The option that set it; null if the user said nothing. */
        private String option;
        private boolean warned;
        /** Used by some test so far. */
        private boolean used;
        /** Used by the current test. */
        private boolean inUse;
    }

    private final Map<Side, Map<Parameter, Value>> values = new EnumMap<>(Side.class);

    Parameters() {
        for (Side side : BOTH) {
            Map<Parameter, Value> all = new EnumMap<>(Parameter.class);
            for (Parameter parameter : Parameter.values()) {
                all.put(parameter, new Value());
            }
            values.put(side, all);
        }
    }

    private Value of(Side side, Parameter parameter) {
        return values.get(side).get(parameter);
    }

    // ---- the user ----

    /** @param number u32 */
    void set(String option, Parameter parameter, List<Side> sides, int number) {
        sides.forEach(side -> setByUser(option, of(side, parameter)).number = number);
    }

    /** @throws QPerfFailure it is too long for a {@link Request} */
    void set(String option, Parameter parameter, List<Side> sides, String text) {
        if (text.getBytes(StandardCharsets.UTF_8).length >= Parameter.TEXT_BYTES) {
            throw new QPerfFailure(text + ": too long");
        }
        sides.forEach(side -> setByUser(option, of(side, parameter)).text = text);
    }

    private static Value setByUser(String option, Value value) {
        value.option = option;
        value.warned = false;
        return value;
    }

    boolean isSetByUser(Side side, Parameter parameter) {
        return of(side, parameter).option != null;
    }

    // ---- tests ----

    /** Starts another test. */
    void beginTest() {
        values.values().forEach(all -> all.values().forEach(value -> value.inUse = false));
    }

    /** Marks parameters as used by the test. */
    void use(Parameter... parameters) {
        for (Parameter parameter : parameters) {
            for (Side side : BOTH) {
                Value value = of(side, parameter);
                value.used = true;
                value.inUse = true;
            }
        }
    }

    /** Marks a parameter as used by the test, with a default in case the user gave no value. */
    void useDefault(Parameter parameter, int number) {
        BOTH.forEach(side -> useDefault(side, parameter, number));
    }

    void useDefault(Side side, Parameter parameter, int number) {
        Value value = of(side, parameter);
        value.used = true;
        value.inUse = true;
        if (value.option == null) {
            value.number = number;
        }
    }

    int number(Side side, Parameter parameter) {
        return of(side, parameter).number;
    }

    String text(Side side, Parameter parameter) {
        return of(side, parameter).text;
    }

    boolean isInUse(Parameter parameter) {
        return of(Side.LOCAL, parameter).inUse || of(Side.REMOTE, parameter).inUse;
    }

    /** Whether the user set it, at one end or both, and no warning has been printed that it is unused. */
    boolean isOfUser(Parameter parameter) {
        return BOTH.stream().map(side -> of(side, parameter)).anyMatch(value -> value.option != null && !value.warned);
    }

    /** The options that no test has used so far; each is returned once. */
    List<String> unused() {
        List<String> options = new ArrayList<>();
        for (Parameter parameter : Parameter.values()) {
            for (Side side : BOTH) {
                Value value = of(side, parameter);
                if (value.option != null && !value.used && !value.warned) {
                    value.warned = true;
                    if (!options.contains(value.option)) {
                        options.add(value.option);
                    }
                }
            }
        }
        return options;
    }

    /** The parameters of one end. */
    Request request(Side side, int index) {
        Request request = Request.of(index);
        values.get(side).forEach((parameter, value) -> {
            if (parameter.kind == Parameter.Kind.TEXT) {
                request.text(parameter, value.text);
            } else {
                request.number(parameter, value.number);
            }
        });
        return request;
    }
}
