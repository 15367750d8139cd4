// SPDX-License-Identifier: Apache-2.0
/**
 * Why something failed. {@link org.softrdma.verbs.reason.Reason} is the catalogue, known to every layer;
 * {@link org.softrdma.verbs.reason.Failure} is an occurrence with its values. The texts are in {@code reasons.txt}.
 */
package org.softrdma.verbs.reason;
