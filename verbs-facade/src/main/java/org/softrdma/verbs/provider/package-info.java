// SPDX-License-Identifier: Apache-2.0
/**
 * Parts of the API's promises that every provider needs, whatever executes its verbs: acknowledged events, a lock that is kept from one
 * call to another, batches of send requests, names of interfaces, and waits in native code that an interrupt ends. For providers, not for
 * applications.
 *
 * <p>Reading order: {@link org.softrdma.verbs.provider.EventAcks}, {@link org.softrdma.verbs.provider.KeptLock},
 * {@link org.softrdma.verbs.provider.StagedSendBatch}, {@link org.softrdma.verbs.provider.InterfaceNames},
 * {@link org.softrdma.verbs.provider.Interruption}.
 */
package org.softrdma.verbs.provider;
