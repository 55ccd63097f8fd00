# CUTOUT_WARNINGS(FLAGS): put those that the compiler knows into WARNINGS.
AC_DEFUN([CUTOUT_WARNINGS], [
  AC_SUBST([WARNINGS])
  cutout_save=$CFLAGS
  for cutout_flag in m4_normalize([$1]); do
    AC_MSG_CHECKING([for $cutout_flag])
    CFLAGS="$cutout_save -Werror $cutout_flag"
    AC_COMPILE_IFELSE([AC_LANG_SOURCE([int cutout_probe;])],
      [AC_MSG_RESULT([yes])
       WARNINGS="$WARNINGS $cutout_flag"],
      [AC_MSG_RESULT([no])])
  done
  CFLAGS=$cutout_save
])

# CUTOUT_LINK_FLAGS(FLAGS): put those that the linker takes into SHIM_LINK_FLAGS.
AC_DEFUN([CUTOUT_LINK_FLAGS], [
  AC_SUBST([SHIM_LINK_FLAGS])
  cutout_save=$LDFLAGS
  for cutout_flag in m4_normalize([$1]); do
    AC_MSG_CHECKING([for -Wl,$cutout_flag])
    LDFLAGS="$cutout_save -Wl,--fatal-warnings -Wl,$cutout_flag"
    AC_LINK_IFELSE([AC_LANG_PROGRAM()],
      [AC_MSG_RESULT([yes])
       SHIM_LINK_FLAGS="$SHIM_LINK_FLAGS -Wl,$cutout_flag"],
      [AC_MSG_RESULT([no])])
  done
  LDFLAGS=$cutout_save
])
