// SPDX-License-Identifier: Apache-2.0
/**
 * Tests of RDMA programs with JUnit Jupiter.
 *
 * <p>Reading order: {@link org.softrdma.junit.SoftRdma}, what a test gets; {@link org.softrdma.junit.Seeds}, one test on many seeds;
 * {@link org.softrdma.junit.OnDevice}. Behind them: SoftRdmaExtension, the fabric of a test in FabricSession, and FailureReport.
 */
package org.softrdma.junit;
