// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What a test, or all of a topic, needs of the device. Where that is missing the test is aborted as unsupported: it has not passed. */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface Needs {
    Capability[] value();
}
