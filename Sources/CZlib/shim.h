#ifndef TRUSTLAB_CZLIB_SHIM_H
#define TRUSTLAB_CZLIB_SHIM_H

#include <zlib.h>

#endif
