// What Wine 8 lacks: the random numbers of this library, from those that it has. Not for Windows, which has the library itself.
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length); // RtlGenRandom

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T length) {
  return SystemFunction036(buffer, (ULONG)length);
}
