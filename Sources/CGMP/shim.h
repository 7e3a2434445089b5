#ifndef TRUSTLAB_CGMP_SHIM_H
#define TRUSTLAB_CGMP_SHIM_H
#include <gmp.h>
#endif
