# Make a root directory that has libvirt's programs and one folder of ours, and start libvirt in it.
#
# Runs in a mount namespace of its own, so all of this is gone with the last process in it. libvirt
# has its paths built in; here they lead into our folder, and the system's libvirt is out of sight.
# /sys is mounted anew, because it shows the network namespace of whoever mounts it.
set -eu
tree=$1 home=$2
room=$home/room

mount -t tmpfs -o mode=755,size=16m room "$room"
cd "$room"
mkdir -p dev etc proc run/libvirt sys tmp usr var/cache/libvirt var/lib/libvirt var/log/libvirt
mkdir -p "$room$home"
for name in bin lib lib64 sbin; do
    ln -s "usr/$name" "$name"
done
ln -s ../run var/run

for name in etc usr; do
    mount --bind "$tree/$name" "$name"
    mount -o remount,bind,ro "$name"
done
mount --bind "$home" "$room$home"
mount --bind "$home/etc" etc/libvirt
mount --bind "$home/run" run/libvirt
mount --bind "$home/cache" var/cache/libvirt
mount --bind "$home/lib" var/lib/libvirt
mount --bind "$home/log" var/log/libvirt
mount --rbind /dev dev
mount --rbind /proc proc
mount -t sysfs sysfs sys

exec chroot "$room" /usr/sbin/libvirtd --pid-file /run/libvirt/libvirtd.pid
