// SPDX-License-Identifier: Apache-2.0
/**
 * A small NFS server, for tests and teaching.
 *
 * <pre>{@code
 * try (NfsServer server = NfsServer.start(NfsOptions.of(Path.of("/srv/files")))) {
 *     server.addresses();               // mount -t nfs -o vers=4.1,proto=rdma,port=20049
 * }
 * }</pre>
 */
package org.softrdma.storage;
