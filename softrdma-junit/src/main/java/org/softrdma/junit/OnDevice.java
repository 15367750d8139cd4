// SPDX-License-Identifier: Apache-2.0
package org.softrdma.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Device of a parameter of a test, see {@link SoftRdma}. */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface OnDevice {
    /** {@return the index of the device, from 0} */
    int value();
}
