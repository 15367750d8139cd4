// SPDX-License-Identifier: Apache-2.0
/**
 * The contract of the API: promises that every provider must keep, one test for each.
 *
 * <p>Reading order: {@link org.softrdma.contract.AllContracts}, which a provider extends; {@link org.softrdma.contract.ContractFabric}, the
 * devices that it provides; {@link org.softrdma.contract.Capability}, what a device may lack; {@link org.softrdma.contract.ContractTest},
 * the base of all topics; then any topic. docs/verbs-contract.md describes how to run them.
 */
package org.softrdma.contract;
