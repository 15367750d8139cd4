// SPDX-License-Identifier: Apache-2.0
/**
 * A small NFS server, for tests and teaching.
 *
 * <pre>{@code
 * try (NfsServer server = NfsServer.start(NfsOptions.of(Path.of("/srv/files")))) {
 *     server.addresses();               // mount -t nfs -o vers=3,proto=rdma,port=20049,mountproto=tcp,mountport=20048,nolock
 * }
 * }</pre>
 */
package org.softrdma.storage;
