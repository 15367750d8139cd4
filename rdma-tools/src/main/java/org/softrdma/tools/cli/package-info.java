// SPDX-License-Identifier: Apache-2.0
/**
 * Basics of all tools. Reading order: {@link org.softrdma.tools.cli.Tool}, {@link org.softrdma.tools.cli.Console},
 * {@link org.softrdma.tools.cli.ToolFailure} (exit codes), {@link org.softrdma.tools.cli.GetoptLong} and
 * {@link org.softrdma.tools.cli.CNumber} (command lines as in C), {@link org.softrdma.tools.cli.Opened} and
 * {@link org.softrdma.tools.cli.Worker}.
 */
package org.softrdma.tools.cli;
