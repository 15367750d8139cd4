// SPDX-License-Identifier: Apache-2.0
/**
 * The laboratory in the browser.
 *
 * <p>Reading order: {@link org.softrdma.lab.Lab}; {@link org.softrdma.lab.LabServer}, the web server, and LabApi, its calls;
 * {@link org.softrdma.lab.LabSession}, what is shown at present. The page itself is in the resources: {@code web/index.html} and its
 * modules.
 */
package org.softrdma.lab;
