// SPDX-License-Identifier: Apache-2.0
/**
 * Subnet administration: answers what clients ask the subnet manager. Pure. Source: IBA vol 1 §15.
 *
 * <p>Reading order: {@link org.softrdma.fabric.sa.Subnet} (what the last sweep left), {@link org.softrdma.fabric.sa.SubnetAdministrator}
 * (requests and answers), {@code SubnetRecords} and {@code PathQuery} (records that are read), {@code MulticastGroups},
 * {@code Services} and {@code Subscriptions} (records that clients write), {@code SegmentedAnswers} (tables that are longer than a
 * datagram).
 */
package org.softrdma.fabric.sa;
