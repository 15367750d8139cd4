// SPDX-License-Identifier: Apache-2.0
/**
 * The demo, the first command to try: two devices in one process run every operation of a reliable connection and check the data.
 *
 * <p>Reading order: {@link Demo}, {@link DemoCase}, {@link DemoEnd} (a device), {@link DemoRun}, {@link Pattern}.
 */
package org.softrdma.tools.demo;
