// SPDX-License-Identifier: Apache-2.0
/**
 * Recordings: copies of the last events of queue pairs and connections. {@link org.softrdma.recording.FlightRecorder} makes them,
 * {@link org.softrdma.recording.Recording} is the copy, {@link org.softrdma.recording.Track} the part of one end and
 * {@link org.softrdma.recording.RecordedEvent} one event. {@code docs/recordings.md} has the file formats.
 */
package org.softrdma.recording;
