// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.DoubleFunction;

/** A line chart with logarithmic axes, written as SVG. */
final class Chart {
    private static final int WIDTH = 1000;
    private static final int LEAST_HEIGHT = 560;
    private static final int LEFT = 80;
    private static final int RIGHT = 270;
    private static final int TOP = 50;
    private static final int BOTTOM = 60;
    private static final int LEGEND_STEP = 18;
    private static final String[] COLORS = {"#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#e377c2", "#17becf",
        "#bcbd22", "#7f7f7f", "#000000", "#5c6bc0"};

    private final String title;
    private final String xLabel;
    private final String yLabel;
    private final DoubleFunction<String> xText;
    private final Map<String, TreeMap<Double, Double>> series = new LinkedHashMap<>();
    private final StringBuilder svg = new StringBuilder();

    /** @param xText text under a point of the x axis */
    Chart(String title, String xLabel, String yLabel, DoubleFunction<String> xText) {
        this.title = title;
        this.xLabel = xLabel;
        this.yLabel = yLabel;
        this.xText = xText;
    }

    /** Adds a point; one that is not positive is left out. */
    void point(String name, double x, double y) {
        if (x > 0 && y > 0) {
            series.computeIfAbsent(name, key -> new TreeMap<>()).put(x, y);
        }
    }

    boolean isEmpty() {
        return series.isEmpty();
    }

    void write(Path file) throws IOException {
        Files.writeString(file, svg());
    }

    /** The chart as an SVG document; it must not be empty. */
    String svg() {
        int height = Math.max(LEAST_HEIGHT, TOP + BOTTOM + LEGEND_STEP * series.size());
        TreeSet<Double> xs = new TreeSet<>();
        TreeSet<Double> ys = new TreeSet<>();
        series.values().forEach(points -> {
            xs.addAll(points.keySet());
            ys.addAll(points.values());
        });
        Scale x = new Scale(xs.first(), xs.last(), LEFT, WIDTH - RIGHT);
        Scale y = new Scale(Math.pow(10, Math.floor(Math.log10(ys.first()))), Math.pow(10, Math.ceil(Math.log10(ys.last()))),
            height - BOTTOM, TOP);
        svg.setLength(0);
        add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
            + "font-family=\"sans-serif\" font-size=\"12\">", WIDTH, height, WIDTH, height);
        add("<title>%s</title>", escaped(title));
        add("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>", WIDTH, height);
        text(LEFT, 28, "font-size=\"16\" font-weight=\"bold\"", title);
        text(8, TOP - 8, "", yLabel);
        text(LEFT, height - 14, "", xLabel);
        rows(y);
        columns(xs, x, height);
        int number = 0;
        for (Map.Entry<String, TreeMap<Double, Double>> each : series.entrySet()) {
            series(number++, each.getKey(), each.getValue(), x, y);
        }
        add("</svg>");
        return svg.toString();
    }

    private void rows(Scale y) {
        for (double value = y.from; value <= y.to * 1.01; value *= 10) {
            for (int part = 1; part < 10 && value * part <= y.to * 1.01; part++) {
                double at = y.at(value * part);
                line(LEFT, at, WIDTH - RIGHT, at, part == 1 ? "#c0c0c0" : "#ececec");
                if (part == 1 || part == 3) {
                    text(LEFT - 8, at + 4, "text-anchor=\"end\"", number(value * part));
                }
            }
        }
    }

    private void columns(TreeSet<Double> xs, Scale x, int height) {
        for (double value : xs) {
            line(x.at(value), TOP, x.at(value), height - BOTTOM, "#e0e0e0");
            text(x.at(value), height - BOTTOM + 18, "text-anchor=\"middle\"", xText.apply(value));
        }
    }

    private void series(int number, String name, TreeMap<Double, Double> points, Scale x, Scale y) {
        String color = COLORS[number % COLORS.length];
        String dash = number < COLORS.length ? "" : " stroke-dasharray=\"6 4\"";
        StringBuilder path = new StringBuilder();
        points.forEach((px, py) -> path.append(path.isEmpty() ? "" : " ").append(coordinate(x.at(px))).append(',')
            .append(coordinate(y.at(py))));
        add("<g stroke=\"%s\" fill=\"%s\"><title>%s</title>", color, color, escaped(name));
        add("<polyline points=\"%s\" fill=\"none\" stroke-width=\"2\" stroke-linejoin=\"round\"%s/>", path, dash);
        points.forEach((px, py) ->
            add("<circle cx=\"%s\" cy=\"%s\" r=\"3\" stroke=\"none\"/>", coordinate(x.at(px)), coordinate(y.at(py))));
        int at = TOP + 10 + LEGEND_STEP * number;
        add("<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke-width=\"2\"%s/>", WIDTH - RIGHT + 14, at - 4, WIDTH - RIGHT + 36,
            at - 4, dash);
        add("</g>");
        text(WIDTH - RIGHT + 42, at, "", name);
    }

    private void line(double x1, double y1, double x2, double y2, String color) {
        add("<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" stroke=\"%s\"/>", coordinate(x1), coordinate(y1), coordinate(x2),
            coordinate(y2), color);
    }

    private void text(double x, double y, String attributes, String text) {
        add("<text x=\"%s\" y=\"%s\" %s>%s</text>", coordinate(x), coordinate(y), attributes, escaped(text));
    }

    private void add(String format, Object... arguments) {
        svg.append(String.format(Locale.ROOT, format, arguments)).append('\n');
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private static String coordinate(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String number(double value) {
        return value >= 1 ? String.format(Locale.ROOT, "%,.0f", value) : String.valueOf((float) value);
    }

    /** One logarithmic axis. */
    private record Scale(double from, double to, double fromPixel, double toPixel) {
        double at(double value) {
            double part = to == from ? 0.5 : Math.log(value / from) / Math.log(to / from);
            return fromPixel + part * (toPixel - fromPixel);
        }
    }
}
