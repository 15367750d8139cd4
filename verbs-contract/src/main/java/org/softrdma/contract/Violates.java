// SPDX-License-Identifier: Apache-2.0
package org.softrdma.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Rules of adapters, by name, that a test violates on purpose. A device that looks for violations may find these, and no others. */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface Violates {
    String[] value();
}
