// SPDX-License-Identifier: Apache-2.0
package org.softrdma.bench.runner;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** The charts of the report: well-formed SVG, with each point where its values say. */
class ChartTest {
    @Test
    void shouldPlacePointsByLogarithmicAxes() throws Exception {
        Chart chart = new Chart("Rate & size", "size", "GB/s", x -> (int) x + " B");
        chart.point("<ours>", 1, 0.1);
        chart.point("<ours>", 10, 1);
        chart.point("<ours>", 100, 10);
        chart.point("peer", 10, 3);
        chart.point("peer", 0, 3);
        Document document = DocumentBuilderFactory.newInstance().newDocumentBuilder()
            .parse(new ByteArrayInputStream(chart.svg().getBytes(StandardCharsets.UTF_8)));
        Element line = (Element) document.getElementsByTagName("polyline").item(0);
        assertEquals("80.0,500.0 405.0,275.0 730.0,50.0", line.getAttribute("points"));
        assertEquals(4, document.getElementsByTagName("circle").getLength());
        assertTrue(document.getDocumentElement().getTextContent().contains("<ours>"));
    }
}
