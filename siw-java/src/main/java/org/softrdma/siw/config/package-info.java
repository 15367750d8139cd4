// SPDX-License-Identifier: Apache-2.0
/**
 * Configuration of siw devices, whether from the user's file of links or from a program. Reading order:
 * {@link org.softrdma.siw.config.SiwLinkType} (the options of a link), {@link org.softrdma.siw.config.MpaOptions}.
 */
package org.softrdma.siw.config;
