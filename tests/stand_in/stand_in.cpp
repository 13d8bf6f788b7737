// A torch device that the processor stands in for: its memory is counted host memory, its kernels are the CPU's.
//
// It registers what an accelerator's own backend registers (allocator, hooks, device guard with events, generator,
// autocast, the few operators that cannot fall back), so that code written for accelerators runs without one.
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/autocast_mode.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TensorFactories.h>
#include <ATen/ops/as_strided_cpu_dispatch.h>
#include <ATen/ops/_reshape_alias_cpu_dispatch.h>
#include <ATen/ops/resize_cpu_dispatch.h>
#include <ATen/ops/set_cpu_dispatch.h>
#include <ATen/ops/view_cpu_dispatch.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>

namespace {

constexpr auto kKind = c10::DeviceType::PrivateUse1;
constexpr int64_t kGrain = 1 << 21; // the allocator reserves whole blocks of 2 MiB
std::atomic<int64_t> live{0}, peak{0}, blocks{0}, reserved{0}, peak_reserved{0}, capacity{int64_t{8} << 30},
    event_count{0};

int64_t rounded(int64_t bytes) {
  return (bytes + kGrain - 1) / kGrain * kGrain;
}

struct Block {
  void* data;
  int64_t bytes;
};

void release(void* context) {
  auto* block = static_cast<Block*>(context);
  live -= block->bytes;
  blocks -= rounded(block->bytes); // and stay reserved, as a caching allocator keeps them
  std::free(block->data);
  delete block;
}

// Memory of the device: counted, and refused beyond `capacity` as a card refuses it.
struct DeviceMemory final : c10::Allocator {
  c10::DataPtr allocate(size_t size) override {
    const auto bytes = static_cast<int64_t>(size);
    TORCH_CHECK_WITH(OutOfMemoryError, live + bytes <= capacity, "stand_in out of memory. Tried to allocate ", bytes,
                     " bytes; ", live.load(), " of ", capacity.load(), " bytes are in use.");
    void* data = bytes == 0 ? nullptr : std::malloc(size);
    auto* block = new Block{data, bytes};
    live += bytes;
    blocks += rounded(bytes);
    reserved = std::max(reserved.load(), blocks.load());
    peak = std::max(peak.load(), live.load());
    peak_reserved = std::max(peak_reserved.load(), reserved.load());
    return {data, block, &release, c10::Device(kKind, 0)};
  }
  c10::DeleterFnPtr raw_deleter() const override {
    return nullptr;
  }
  void copy_data(void* target, const void* source, std::size_t count) const override {
    default_copy_data(target, source, count);
  }
};
DeviceMemory memory;
REGISTER_ALLOCATOR(kKind, &memory);

struct DeviceGenerator : at::CPUGeneratorImpl {
  DeviceGenerator() : at::CPUGeneratorImpl(0) {
    device_ = c10::Device(kKind, 0);
    key_set_ = c10::DispatchKeySet(c10::DispatchKey::PrivateUse1);
  }
};

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override {
    return true;
  }
  bool isAvailable() const override {
    return true;
  }
  bool hasPrimaryContext(c10::DeviceIndex) const override {
    return true;
  }
  c10::DeviceIndex deviceCount() const override {
    return 1;
  }
  c10::DeviceIndex getCurrentDevice() const override {
    return 0;
  }
  void setCurrentDevice(c10::DeviceIndex) const override {}
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex) const override {
    return 0;
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex) const override {
    return 0;
  }
  const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override {
    static auto generator = at::make_generator<DeviceGenerator>();
    return generator;
  }
  at::Generator getNewGenerator(c10::DeviceIndex) const override {
    return at::make_generator<DeviceGenerator>();
  }
  c10::Device getDeviceFromPtr(void*) const override {
    return {kKind, 0};
  }
  c10::Allocator* getPinnedMemoryAllocator() const override {
    return at::getCPUAllocator();
  }
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t size) const override {
    auto data = memory.allocate(size);
    std::memcpy(data.get(), storage.data(), std::min(size, storage.nbytes()));
    storage.unsafeGetStorageImpl()->set_data_ptr_noswap(std::move(data));
    storage.unsafeGetStorageImpl()->set_nbytes(size);
  }
};

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// One stream, on which everything is done at once; an event is the time at which it was recorded.
struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override {
    return kKind;
  }
  c10::Device exchangeDevice(c10::Device) const override {
    return {kKind, 0};
  }
  c10::Device getDevice() const override {
    return {kKind, 0};
  }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device device) const override {
    return c10::Stream(c10::Stream::DEFAULT, device);
  }
  c10::Stream getDefaultStream(c10::Device device) const override {
    return getStream(device);
  }
  c10::Stream getNewStream(c10::Device device, int) const override {
    return getStream(device);
  }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override {
    return getStream(device);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    return getStream(stream.device());
  }
  c10::DeviceIndex deviceCount() const noexcept override {
    return 1;
  }
  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override {
    delete static_cast<double*>(event);
  }
  void record(void** event, const c10::Stream&, c10::DeviceIndex, c10::EventFlag) const override {
    if (*event == nullptr) {
      *event = new double{0.0};
    }
    *static_cast<double*>(*event) = now_ms();
    ++event_count;
  }
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override {
    return true;
  }
  bool queryStream(const c10::Stream&) const override {
    return true;
  }
  void synchronizeStream(const c10::Stream&) const override {}
  void synchronizeEvent(void*) const override {}
  void synchronizeDevice(c10::DeviceIndex) const override {}
  void recordDataPtrOnStream(const c10::DataPtr&, const c10::Stream&) const override {}
  double elapsedTime(void* first, void* last, c10::DeviceIndex) const override {
    return *static_cast<double*>(last) - *static_cast<double*>(first);
  }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

// A CPU tensor over the same memory.
at::Tensor host(const at::Tensor& tensor) {
  if (tensor.device().type() != kKind) {
    return tensor;
  }
  return at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(),
                       tensor.options().device(c10::kCPU).requires_grad(false));
}

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> type, std::optional<at::Layout>,
                 std::optional<c10::Device>, std::optional<bool>, std::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(size, &memory, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                   c10::dtype_or_default(type), format);
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride, std::optional<at::ScalarType> type,
                         std::optional<at::Layout>, std::optional<c10::Device>, std::optional<bool>) {
  return at::detail::empty_strided_generic(size, stride, &memory, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                           c10::dtype_or_default(type));
}

at::Tensor copy_from(const at::Tensor& source, const at::Tensor& target, bool) {
  host(target).copy_(host(source));
  return target;
}

at::Tensor copy_from_and_resize(const at::Tensor& source, const at::Tensor& target) {
  if (target.sizes() != source.sizes()) {
    target.resize_(source.sizes());
  }
  return copy_from(source, target, false);
}

const at::Tensor& resize(const at::Tensor& self, c10::IntArrayRef size, std::optional<at::MemoryFormat>) {
  auto* made = self.unsafeGetTensorImpl();
  made->set_sizes_contiguous(size);
  const auto bytes = static_cast<size_t>(made->numel() * made->itemsize()) + made->storage_offset() * made->itemsize();
  if (bytes > self.storage().nbytes()) {
    at::detail::getPrivateUse1Hooks().resizePrivateUse1Bytes(self.storage(), bytes);
  }
  return self;
}

at::Tensor onto(const at::Tensor& made) {
  return made.defined() ? made.to(c10::Device(kKind, 0)) : made;
}

at::Tensor convolution(const at::Tensor& data, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                       c10::IntArrayRef stride, c10::IntArrayRef padding, c10::IntArrayRef dilation, bool transposed,
                       c10::IntArrayRef output_padding, int64_t groups) {
  const auto offset = bias.has_value() && bias->defined() ? std::optional<at::Tensor>(host(*bias)) : std::nullopt;
  return onto(at::convolution(host(data), host(weight), offset, stride, padding, dilation, transposed, output_padding,
                              groups));
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> convolution_backward(
    const at::Tensor& gradient, const at::Tensor& data, const at::Tensor& weight, c10::IntArrayRef stride,
    c10::IntArrayRef padding, c10::IntArrayRef dilation, bool transposed, c10::IntArrayRef output_padding,
    int64_t groups, std::array<bool, 3> mask) {
  auto [of_data, of_weight, of_bias] =
      at::convolution_backward(host(gradient), host(data), host(weight), c10::IntArrayRef({weight.size(0)}), stride,
                               padding, dilation, transposed, output_padding, groups, mask);
  return {onto(of_data), onto(of_weight), onto(of_bias)};
}

// Attention by its formula: the fused kernels are the processor's own.
int64_t attention_choice(const at::Tensor&, const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&,
                         double, bool, std::optional<double>, bool) {
  return 0;
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", &empty);
  m.impl("empty_strided", &empty_strided);
  m.impl("_copy_from", &copy_from);
  m.impl("_copy_from_and_resize", &copy_from_and_resize);
  m.impl("resize_", &resize);
  m.impl("as_strided", &at::native::as_strided_tensorimpl);
  m.impl("view", &at::native::view);
  m.impl("_reshape_alias", &at::native::_reshape_alias);
  m.impl("set_.source_Storage_storage_offset", &at::native::set_storage_cpu_);
  m.impl("set_.source_Tensor", &at::native::set_tensor_);
  m.impl("convolution_overrideable", &convolution);
  m.impl("convolution_backward_overrideable", &convolution_backward);
  m.impl("_fused_sdp_choice", &attention_choice);
}

void fallback(const c10::OperatorHandle& operation, torch::jit::Stack* stack) {
  at::native::cpu_fallback(operation, stack);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
}

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
  KERNEL_PRIVATEUSEONE(linear, lower_precision_fp)
  KERNEL_PRIVATEUSEONE(matmul, lower_precision_fp)
  KERNEL_PRIVATEUSEONE(mm, lower_precision_fp)
  KERNEL_PRIVATEUSEONE(addmm, lower_precision_fp)
  KERNEL_PRIVATEUSEONE(bmm, lower_precision_fp)
  KERNEL_PRIVATEUSEONE(baddbmm, lower_precision_fp)
  KERNEL_PRIVATEUSEONE(conv2d, lower_precision_fp)
  KERNEL_PRIVATEUSEONE(scaled_dot_product_attention, lower_precision_fp)
  KERNEL_PRIVATEUSEONE(layer_norm, fp32)
  KERNEL_PRIVATEUSEONE(cross_entropy_loss, fp32)
  KERNEL_PRIVATEUSEONE(nll_loss, fp32)
  KERNEL_PRIVATEUSEONE(softmax, int, fp32)
  KERNEL_PRIVATEUSEONE(log_softmax, int, fp32)
}

// (allocated now, its peak, reserved now, its peak, events recorded), in bytes and a count
std::vector<int64_t> figures() {
  return {live, peak, reserved, peak_reserved, event_count};
}

void empty_cache() {
  reserved = blocks.load();
}

void reset_peaks() {
  peak = live.load();
  peak_reserved = reserved.load();
}

void set_capacity(int64_t bytes) {
  capacity = bytes;
}

TORCH_LIBRARY(stand_in, m) {
  m.def("figures() -> int[]", &figures);
  m.def("empty_cache() -> ()", &empty_cache);
  m.def("reset_peaks() -> ()", &reset_peaks);
  m.def("set_capacity(int bytes) -> ()", &set_capacity);
}

struct Registration {
  Registration() {
    static Hooks hooks;
    at::RegisterPrivateUse1HooksInterface(&hooks);
  }
};
Registration registration;

} // namespace
