// SPDX-License-Identifier: Apache-2.0
/**
 * MPA, the framing of a stream (RFC 5044, RFC 6581): pure classes without sockets, threads or clocks.
 *
 * <p>Reading order. The set-up: {@link org.softrdma.siw.mpa.MpaInitiator}, {@link org.softrdma.siw.mpa.MpaResponder} and their
 * {@link org.softrdma.siw.mpa.StartupFrame} end with an {@link org.softrdma.siw.mpa.Agreement}. Input:
 * {@link org.softrdma.siw.mpa.FpduReader} is the {@link org.softrdma.siw.mpa.StreamSink} that cuts a stream into ULPDUs for a
 * {@link org.softrdma.siw.mpa.UlpduHandler}. Output: {@link org.softrdma.siw.mpa.FpduWriter} frames ULPDUs in a
 * {@link org.softrdma.siw.mpa.StreamBuffer}.
 */
package org.softrdma.siw.mpa;
