/* A libnvidia-ml.so.1 without any NVIDIA code: answers from a scenario file, for tests of detection and monitoring.
 *
 *   FAKE_NVML=FILE       the scenario; unset: the driver is "not loaded"
 *   FAKE_NVML_LOG=FILE   one line a call: function, device, answer
 *   FAKE_NVML_STRICT=1   die of SIGSEGV on a NULL handle, as the real library does
 *
 * -DOLD_DRIVER leaves out what an old driver lacks: process lists v3, clock event reasons, memory v2, MIG, NVLink.
 *
 * Grammar of a scenario, one item a line, '#' comments. L is a,b,c: one value a call, the last one kept.
 *   driver S | nvml S | cuda N | init CODE
 *   dev                                  begins a device; what follows is about it
 *   name S | uuid S | bus S | serial S | cc A.B
 *   mem TOTAL_MIB USED_MIB [RESERVED_MIB]
 *   temp L | power L (mW) | util L | sm L (MHz) | reasons L
 *   limit mW | defsm MHZ | maxsm MHZ | memclk MHZ | fan PCT | mode N | migmode 0/1 | virt N | pcie GEN WIDTH | cores N
 *   nvlink N | nvswitch 0/1              active links (0: none at all), and whether they end at a switch
 *   p2p STATUS                           of reading over PCIe; 0 is OK
 *   proc PID MIB | mig UUID MIB GI CI
 *   nullhandle                           the handle is NULL and the call says OK
 *   fault FN CODE [AFTER [FOR]]          FN answers CODE after AFTER calls, FOR calls long; before any dev: everywhere
 *   hang FN MS [AFTER [FOR]] | crash FN [AFTER [FOR]]     FN sleeps, or dies of SIGSEGV
 */
#ifndef FAKE_NVML_H
#define FAKE_NVML_H

enum {
  OK = 0,
  UNINITIALIZED = 1,
  INVALID_ARGUMENT = 2,
  NOT_SUPPORTED = 3,
  NOT_FOUND = 6,
  INSUFFICIENT_SIZE = 7,
  DRIVER_NOT_LOADED = 9,
  ARGUMENT_VERSION_MISMATCH = 25,
};
enum { MAX_DEVICES = 64, MAX_SERIES = 256, MAX_FAULTS = 32, MAX_PROCESSES = 32, MAX_MIG = 8, NAME = 96 };
#define MAGIC 0x4E564D4C
#define UNKNOWN_BYTES 0xFFFFFFFFFFFFFFFFull

typedef struct {
  int length, next;
  unsigned values[MAX_SERIES];
} Series;

typedef struct {
  char function[64];
  int code, after, duration, calls, sleep_ms, crash;
} Fault;

typedef struct {
  unsigned pid;
  unsigned long long bytes;
  unsigned gpu_instance, compute_instance;
} Process;

typedef struct Device {
  int magic, index, is_mig, null_handle;
  struct Device *parent;
  char name[NAME], uuid[NAME], bus[32], serial[32];
  int major, minor;
  unsigned long long total, used, reserved;
  Series temperature, power, utilisation, clock, reasons;
  unsigned limit, max_clock, default_clock, memory_clock, fan, mode, mig_mode, virtualisation, generation, width, cores;
  unsigned links, behind_switch, p2p_status, gpu_instance, compute_instance;
  int process_count, mig_count, fault_count;
  Process processes[MAX_PROCESSES];
  struct Device *mig[MAX_MIG];
  Fault faults[MAX_FAULTS];
} Device;

extern Device *devices[MAX_DEVICES];
extern int device_count, cuda_version;
extern char driver_version[80], nvml_version[80];

int gate(const char *function, Device *device, int needs_device);
int copy_text(char *out, unsigned size, const char *text);
unsigned next_of(Series *series, unsigned fallback);

#endif
