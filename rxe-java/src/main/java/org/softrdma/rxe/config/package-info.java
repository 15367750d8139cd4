// SPDX-License-Identifier: Apache-2.0
/**
 * Configuration of rxe devices, whether from the user's file of links or from a program. Reading order:
 * {@link org.softrdma.rxe.config.RxeLinkType} (the options of a link), {@link org.softrdma.rxe.config.RoceWire},
 * {@link org.softrdma.rxe.config.QueuePairOptions} (the options that reach queue pairs), {@link org.softrdma.rxe.config.CongestionControl},
 * {@link org.softrdma.rxe.config.Recovery}, {@link org.softrdma.rxe.config.Segmentation}.
 */
package org.softrdma.rxe.config;
