// SPDX-License-Identifier: Apache-2.0
package org.softrdma.junit;

import org.opentest4j.AssertionFailedError;

/** The failure of a test with the report of its fabric. Its cause is the failure itself, its stack the same. */
final class ReportedFailure extends AssertionFailedError {
    private static final long serialVersionUID = 1L;

    private ReportedFailure(String message, Throwable cause) {
        super(message, cause);
    }

    /** Keeps the values that tools compare. */
    private ReportedFailure(String message, AssertionFailedError cause) {
        super(message, cause.getExpected(), cause.getActual(), cause);
    }

    static ReportedFailure of(Throwable failure, FailureReport report) {
        String text = failure instanceof AssertionError ? failure.getMessage() : failure.toString();
        String message = text + System.lineSeparator() + report;
        ReportedFailure reported = failure instanceof AssertionFailedError compared && compared.isExpectedDefined()
            ? new ReportedFailure(message, compared) : new ReportedFailure(message, failure);
        reported.setStackTrace(failure.getStackTrace());
        return reported;
    }
}
