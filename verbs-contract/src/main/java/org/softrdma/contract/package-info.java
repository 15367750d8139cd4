// SPDX-License-Identifier: Apache-2.0
/**
 * What every provider of the API must keep, one test for each promise. A provider extends {@link org.softrdma.contract.AllContracts},
 * brings a {@link org.softrdma.contract.ContractFabric} and runs every topic; docs/verbs-contract.md shows how.
 */
package org.softrdma.contract;
