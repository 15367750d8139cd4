// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Capabilities that a test, or a whole topic, needs. If one is missing, the test is aborted as unsupported, not passed. */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface Needs {
    Capability[] value();
}
