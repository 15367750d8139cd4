// SPDX-License-Identifier: Apache-2.0
/**
 * The command that prints entries of the catalogue of reasons: {@link org.softrdma.tools.explain.Explain}. The catalogue itself is
 * {@link org.softrdma.verbs.reason.Reason}.
 */
package org.softrdma.tools.explain;
