// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.DoubleFunction;
import javax.imageio.ImageIO;

/** A line chart with logarithmic axes, written as PNG. */
final class Chart {
    private static final int WIDTH = 1000;
    private static final int HEIGHT = 560;
    private static final int LEFT = 80;
    private static final int RIGHT = 270;
    private static final int TOP = 50;
    private static final int BOTTOM = 60;
    private static final Color[] COLORS = {
        new Color(0x1f77b4), new Color(0xd62728), new Color(0x2ca02c), new Color(0xff7f0e), new Color(0x9467bd), new Color(0x8c564b),
        new Color(0xe377c2), new Color(0x17becf), new Color(0xbcbd22), new Color(0x7f7f7f), new Color(0x000000), new Color(0x5c6bc0),
    };

    private final String title;
    private final String xLabel;
    private final String yLabel;
    private final DoubleFunction<String> xText;
    private final Map<String, TreeMap<Double, Double>> series = new LinkedHashMap<>();

    /** @param xText what stands under a point of the x axis */
    Chart(String title, String xLabel, String yLabel, DoubleFunction<String> xText) {
        this.title = title;
        this.xLabel = xLabel;
        this.yLabel = yLabel;
        this.xText = xText;
    }

    void point(String name, double x, double y) {
        if (x > 0 && y > 0) {
            series.computeIfAbsent(name, key -> new TreeMap<>()).put(x, y);
        }
    }

    boolean isEmpty() {
        return series.isEmpty();
    }

    void write(Path file) throws IOException {
        BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
        Graphics2D g = image.createGraphics();
        g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        g.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        g.setColor(Color.WHITE);
        g.fillRect(0, 0, WIDTH, HEIGHT);
        draw(g);
        g.dispose();
        ImageIO.write(image, "png", file.toFile());
    }

    private void draw(Graphics2D g) {
        TreeMap<Double, Boolean> xs = new TreeMap<>();
        TreeMap<Double, Boolean> ys = new TreeMap<>();
        series.values().forEach(points -> points.forEach((x, y) -> {
            xs.put(x, true);
            ys.put(y, true);
        }));
        Scale x = new Scale(xs.firstKey(), xs.lastKey(), LEFT, WIDTH - RIGHT);
        Scale y = new Scale(Math.pow(10, Math.floor(Math.log10(ys.firstKey()))), Math.pow(10, Math.ceil(Math.log10(ys.lastKey()))),
            HEIGHT - BOTTOM, TOP);
        g.setColor(Color.BLACK);
        g.setFont(new Font(Font.SANS_SERIF, Font.BOLD, 16));
        g.drawString(title, LEFT, 28);
        g.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, 12));
        g.drawString(yLabel, 8, TOP - 8);
        g.drawString(xLabel, LEFT, HEIGHT - 14);
        for (double value = y.from; value <= y.to * 1.01; value *= 10) {
            for (int part = 1; part < 10 && value * part <= y.to * 1.01; part++) {
                int at = (int) y.at(value * part);
                g.setColor(part == 1 ? new Color(0xc0c0c0) : new Color(0xececec));
                g.drawLine(LEFT, at, WIDTH - RIGHT, at);
                if (part == 1 || part == 3) {
                    g.setColor(Color.BLACK);
                    g.drawString(number(value * part), 22, at + 4);
                }
            }
        }
        for (double value : xs.keySet()) {
            int at = (int) x.at(value);
            g.setColor(new Color(0xe0e0e0));
            g.drawLine(at, TOP, at, HEIGHT - BOTTOM);
            g.setColor(Color.BLACK);
            g.drawString(xText.apply(value), at - 14, HEIGHT - BOTTOM + 18);
        }
        drawSeries(g, x, y);
    }

    private void drawSeries(Graphics2D g, Scale x, Scale y) {
        int number = 0;
        for (Map.Entry<String, TreeMap<Double, Double>> each : series.entrySet()) {
            g.setColor(COLORS[number % COLORS.length]);
            float[] dash = number < COLORS.length ? null : new float[] {6, 4};
            g.setStroke(new BasicStroke(2, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND, 1, dash, 0));
            Path2D line = new Path2D.Double();
            each.getValue().forEach((px, py) -> {
                double atX = x.at(px);
                double atY = y.at(py);
                if (line.getCurrentPoint() == null) {
                    line.moveTo(atX, atY);
                } else {
                    line.lineTo(atX, atY);
                }
                g.fill(new Ellipse2D.Double(atX - 3, atY - 3, 6, 6));
            });
            g.draw(line);
            int legendAt = TOP + 10 + 18 * number;
            g.drawLine(WIDTH - RIGHT + 14, legendAt - 4, WIDTH - RIGHT + 36, legendAt - 4);
            g.setColor(Color.BLACK);
            g.drawString(each.getKey(), WIDTH - RIGHT + 42, legendAt);
            number++;
        }
    }

    private static String number(double value) {
        return value >= 1 ? String.format("%,.0f", value) : String.valueOf((float) value);
    }

    /** One logarithmic axis. */
    private record Scale(double from, double to, double fromPixel, double toPixel) {
        double at(double value) {
            double part = to == from ? 0.5 : Math.log(value / from) / Math.log(to / from);
            return fromPixel + part * (toPixel - fromPixel);
        }
    }
}
