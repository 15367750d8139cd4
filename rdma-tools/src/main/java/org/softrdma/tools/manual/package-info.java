// SPDX-License-Identifier: Apache-2.0
/**
 * Man pages and shell completion, generated from the help texts of the tools: there is no second list of options to maintain.
 *
 * <p>Reading order: {@link org.softrdma.tools.manual.Manual}, {@link org.softrdma.tools.manual.Page}, {@code ManPage},
 * {@code BashCompletion}.
 */
package org.softrdma.tools.manual;
