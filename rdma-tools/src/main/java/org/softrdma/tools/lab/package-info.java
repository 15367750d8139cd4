// SPDX-License-Identifier: Apache-2.0
/** The command for the laboratory in the browser: {@link org.softrdma.tools.lab.LabTool}. */
package org.softrdma.tools.lab;
