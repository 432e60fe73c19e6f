// How this process gets and keeps the memory of small images; that of large ones is mapped by itself.
#pragma once

namespace tilewright {

/// Images come and go, most of them of one size. Memory that is given back to the kernel has to be cleared by it when
/// it is taken again, which costs as much as a simple operator on it: so what is freed is kept. And it is asked for in
/// huge pages from the beginning. A raster's own wish would come too late for memory that was in use before, as that of
/// an image is from the second step on: it lies scattered over small pages then, which makes filters that wait for
/// memory up to a third slower, by as much as chance has scattered them. No image lies in what the heap had before. To
/// be called before there are images; once is enough.
void prepare_heap();

}  // namespace tilewright
